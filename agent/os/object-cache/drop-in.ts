import type { Host } from '#agent/host/ports.ts'
import { tryAsSite } from '#agent/os/as-site/run.ts'
import { change } from '#agent/os/effects/effects.ts'
import { MARK } from '#agent/os/effects/generated.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { conflict } from '#shared/errors.ts'
import { DROP_IN_TEXT } from './server-php.ts'

const TIME_MS = 20_000
const MOST_NAME = 100
const pathOf = (user: string) => `${docrootOf(user)}/wp-content/object-cache.php`

const KINDS = ['none', 'own', 'other', 'no_folder'] as const
interface Found {
  kind: (typeof KINDS)[number]
  /** Of another one: the plugin that it names. */
  name: string
}

/**
 * Only regular files are opened: a pipe would wait for ever. Everything happens as the site. Without
 * extensions, of which older versions of PHP need one for JSON.
 */
const PROGRAM = String.raw`<?php
[, $action, $path, $text] = $argv + [3 => ''];
function look($path) {
  if (!is_dir(dirname($path))) return ['no_folder', ''];
  clearstatcache();
  if (@lstat($path) === false) return ['none', ''];
  $text = is_file($path) ? (string) @file_get_contents($path, false, null, 0, 8192) : '';
  if (strpos($text, '${MARK}') !== false) return ['own', ''];
  $name = preg_match('/^[ \t\/*#@]*Plugin Name:(.*)$/mi', $text, $found) ? $found[1] : '';
  $name = trim(preg_replace('/[^\x20-\x7e]/', '?', str_replace('*/', '', $name)));
  return ['other', substr($name, 0, ${MOST_NAME})];
}
[$kind, $name] = look($path);
if ($action === 'install' && in_array($kind, ['none', 'own'], true)) {
  $new = $path . '.' . bin2hex(random_bytes(8));
  $file = fopen($new, 'x');
  $whole = $file && fwrite($file, $text) === strlen($text) && fflush($file) && fclose($file);
  if (!$whole || !rename($new, $path)) {
    @unlink($new);
    exit(1);
  }
}
if ($action === 'remove' && $kind === 'own' && !unlink($path)) exit(1);
echo "$kind $name";
`

type Owner = Pick<Site, 'user' | 'php'>

async function run(
  host: Host,
  { user, php }: Owner,
  action: 'look' | 'install' | 'remove',
): Promise<Found> {
  const text = action === 'install' ? [DROP_IN_TEXT] : []
  const argv = [`/usr/bin/php${php}`, '-n', '--', action, pathOf(user), ...text]
  const options = { input: PROGRAM, umask: 0o027, network: false, timeout_ms: TIME_MS, memory: 128 }
  const { code, stdout, stderr } = await tryAsSite(host, { user }, argv, options)
  const [, word, name = ''] = /^(\w+) (.{0,100})$/.exec(stdout) ?? []
  const kind = KINDS.find((one) => one === word)
  if (code === 0 && kind) return { kind, name }
  const reason = stderr.trim().slice(-300) || `exit status ${code}`
  throw new Error(`The drop-in ${pathOf(user)} was not handled (${action}): ${reason}`)
}

export const findDropIn = (host: Host, site: Owner): Promise<Found> => run(host, site, 'look')

/** Throws conflict for a drop-in of another plugin, which is never replaced. */
export async function refuseOtherDropIn(host: Host, site: Owner): Promise<void> {
  refuse(await findDropIn(host, site), site)
}

export async function installDropIn(host: Host, site: Owner): Promise<void> {
  refuse(await run(host, site, 'install'), site)
}

/** One that somebody else has put there since stays. */
export async function removeDropIn(host: Host, site: Owner): Promise<void> {
  await run(host, site, 'remove')
}

export const planDropIn = ({ user }: Owner) => [change('file', pathOf(user))]

function refuse({ kind, name }: Found, { user }: Owner): void {
  if (kind === 'no_folder') throw conflict(`The site has no folder ${docrootOf(user)}/wp-content`)
  if (kind !== 'other') return
  const plugin = name === '' ? 'another plugin' : `“${name}”`
  throw conflict(
    `${pathOf(user)} belongs to ${plugin}: deactivate its object cache, so that the file is gone, and try again`,
  )
}
