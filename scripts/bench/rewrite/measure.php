<?php
// Runs a command of bash, and prints its seconds and the largest memory of one of its programs.
$start = hrtime(true);
$status = proc_close(proc_open(['bash', '-ec', "set -o pipefail; $argv[1]"], [1 => STDERR], $pipes));
$seconds = (hrtime(true) - $start) / 1e9;
echo json_encode(['seconds' => $seconds, 'bytes' => getrusage(1)['ru_maxrss'] * 1024]);
exit($status);
