"""What kernels of HPCAgent-Bench import from their harness, and no more. Written from what the importing kernels need."""
