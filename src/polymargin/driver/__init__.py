"""WHO picks the next example: drivers, and the loop that runs one."""
