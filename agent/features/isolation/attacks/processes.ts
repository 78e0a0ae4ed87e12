import type { InsideAttack } from '#agent/features/isolation/attack.ts'

/** Attacks on processes of other users, and on privileges. */
export const PROCESS_ATTACKS = {
  'process.view': {
    severity: 'medium',
    title: 'See processes of others in /proc',
    meaning: 'A site reads the arguments of programs that the server and other sites run.',
    code: `
$me = @fileowner('/proc/self');
$parent = status_of('self', 'PPid');
$foreign = array_filter(glob('/proc/[0-9]*') ?: [], fn($folder) =>
  @fileowner($folder) !== $me && basename($folder) !== $parent && is_dir($folder));
return $foreign ? succeeded('saw ' . count($foreign) . ' processes of others') : refused();`,
  },
  'process.environ': {
    severity: 'high',
    title: 'Read the environment and the memory of processes of others',
    meaning: 'A site reads secrets out of the processes of its neighbours.',
    code: `
$read = [];
foreach ($n['pids'] as $pid) foreach (['environ', 'mem', 'maps'] as $name) {
  $file = @fopen("/proc/$pid/$name", 'r');
  if ($file === false) continue;
  // The kernel checks the others when they are opened (proc(5)).
  if ($name === 'mem' || @fread($file, 1) !== '') $read[] = "$name of process $pid";
  fclose($file);
}
return found('read', $read);`,
  },
  'process.signal': {
    severity: 'high',
    title: 'Signal processes of others',
    meaning: 'A site ends the processes of its neighbours.',
    code: `
if (!function_exists('posix_kill')) return absent('this PHP cannot send signals');
return found('may signal process', array_filter($n['pids'], fn($pid) => @posix_kill($pid, 0)));`,
  },
  'privileges.setuid': {
    severity: 'high',
    title: 'Gain privileges through setuid programs or capabilities',
    meaning: 'A fault in one setuid program of the system makes a site root.',
    code: `
foreach (['CapInh', 'CapPrm', 'CapEff', 'CapAmb'] as $set) {
  $held = status_of('self', $set);
  if (trim($held ?? '', '0') !== '') return succeeded("holds capabilities ($set $held)");
}
if (status_of('self', 'NoNewPrivs') === '1') return refused('no_new_privs is set');
$programs = ['su', 'sudo', 'passwd', 'mount', 'umount', 'newgrp', 'chsh', 'chfn', 'gpasswd'];
$usable = array_filter($programs, fn($name) =>
  is_executable("/usr/bin/$name") && (fileperms("/usr/bin/$name") & 04000) !== 0);
return found('may run with the rights of root:', $usable);`,
  },
} as const satisfies Record<string, InsideAttack>
