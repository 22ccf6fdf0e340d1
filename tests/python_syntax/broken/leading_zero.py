mode = 0o644
mode = 0644
