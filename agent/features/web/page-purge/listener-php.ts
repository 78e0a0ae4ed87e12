import { MARK_LINE } from '#agent/kernel/effects/generated.ts'

/** The maximum number of paths of one message; for more, the whole cache is emptied. */
export const MAX_PATHS = 100
/** The maximum size in bytes; the kernel cuts a longer message off. */
export const MAX_MESSAGE = 8192
const IDLE_SECONDS = 30

/**
 * Removes pages of one site from the cache of nginx, as the user of nginx, which sees no other cache. A
 * message is a list of paths, or `*`. The key of a page is that of vhost.ts. Everything else in a
 * message is ignored: the site is not trusted.
 */
export const LISTENER_PHP_TEXT = String.raw`<?php
// ${MARK_LINE}
$cache = $argv[1];
$hosts = array_slice($argv, 2);

function page($cache, $key) {
  $hash = md5($key);
  return $cache . '/' . $hash[31] . '/' . substr($hash, 29, 2) . '/' . $hash;
}

function forget($cache, array $hosts, $path) {
  foreach ($hosts as $host) foreach (['http', 'https'] as $scheme) foreach (['GET', 'HEAD'] as $method) {
    @unlink(page($cache, $scheme . $method . $host . $path));
  }
}

function forget_all($cache) {
  foreach (glob($cache . '/[0-9a-f]/[0-9a-f][0-9a-f]/*') ?: [] as $file) @unlink($file);
}

$socket = fopen('php://fd/3', 'r');
if ($socket === false) exit(1);
stream_set_read_buffer($socket, 0);
for (;;) {
  [$read, $write, $except] = [[$socket], [], []];
  if (!stream_select($read, $write, $except, ${IDLE_SECONDS})) exit(0);
  $text = (string) fread($socket, ${MAX_MESSAGE});
  $paths = array_slice(explode("\n", $text), 0, ${MAX_PATHS + 1});
  if ($paths[0] === '*' || count($paths) > ${MAX_PATHS}) {
    forget_all($cache);
    // A site that asks for it all the time pays with its own time.
    usleep(200000);
    continue;
  }
  foreach ($paths as $path) {
    if (preg_match('~^/[\x21-\x7e]{0,1500}\z~', $path) === 1) forget($cache, $hosts, $path);
  }
}
`
