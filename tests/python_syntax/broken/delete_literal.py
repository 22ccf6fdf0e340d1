import os
del 1
