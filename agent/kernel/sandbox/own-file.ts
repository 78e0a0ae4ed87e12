import { posix } from 'node:path'
import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { tryAsSite } from './run.ts'

const TIME_MS = 20_000
const MAX_NAME = 100

/** A file of ours among those of a site. */
export interface OwnFile {
  path: string
  text: string
  /** True when its folder is created if only that is missing. */
  makes_folder?: true
}

const KINDS = ['none', 'own', 'other', 'no_folder'] as const
export interface FoundFile {
  kind: (typeof KINDS)[number]
  /** The name of the plugin in a file that is not ours. */
  name: string
  /** True when it has the whole text of this version of the agent. */
  is_current: boolean
}

/**
 * A program that runs as the site. It opens only regular files: a pipe would wait for ever. It uses
 * no extensions, of which older versions of PHP need one for JSON.
 */
const PROGRAM = String.raw`<?php
[, $action, $path, $text, $makes] = $argv + [4 => ''];
function look($path, $wanted) {
  if (!is_dir(dirname($path))) return ['no_folder', ''];
  clearstatcache();
  if (@lstat($path) === false) return ['none', ''];
  $text = is_file($path) ? (string) @file_get_contents($path, false, null, 0, 8192) : '';
  if (strpos($text, '${MARK}') !== false) return ['own', $text === $wanted ? 'current' : ''];
  $name = preg_match('/^[ \t\/*#@]*Plugin Name:(.*)$/mi', $text, $found) ? $found[1] : '';
  $name = trim(preg_replace('/[^\x20-\x7e]/', '?', str_replace('*/', '', $name)));
  return ['other', substr($name, 0, ${MAX_NAME})];
}
// STDERR is not defined in a program that is read from the standard input.
function fail() {
  file_put_contents('php://stderr', error_get_last()['message'] ?? '');
  exit(1);
}
if ($action === 'install' && $makes !== '' && is_dir(dirname($path, 2))) @mkdir(dirname($path), 0755);
[$kind, $name] = look($path, $text);
if ($action === 'install' && in_array("$kind $name", ['none ', 'own '], true)) {
  $new = $path . '.' . bin2hex(random_bytes(8));
  $file = fopen($new, 'x');
  $whole = $file && fwrite($file, $text) === strlen($text) && fflush($file) && fclose($file);
  if (!$whole || !rename($new, $path)) {
    @unlink($new);
    fail();
  }
}
if ($action === 'remove' && $kind === 'own' && !unlink($path)) fail();
echo "$kind $name";
`

/** Reads the file, writes it, or removes it, but never replaces or removes somebody else's. */
export async function runFileAction(
  host: Host,
  { user, php }: Pick<Site, 'user' | 'php'>,
  action: 'look' | 'install' | 'remove',
  { path, text, makes_folder }: OwnFile,
): Promise<FoundFile> {
  const more = action === 'install' && makes_folder ? ['folder'] : []
  const argv = [`/usr/bin/php${php}`, '-n', '--', action, path, text, ...more]
  const options = { input: PROGRAM, umask: 0o027, network: false, timeout_ms: TIME_MS, memory: 128 }
  const { code, stdout, stderr } = await tryAsSite(host, { user }, argv, options)
  const [, word, name = ''] = /^(\w+) (.{0,100})$/.exec(stdout) ?? []
  const kind = KINDS.find((one) => one === word)
  if (code === 0 && kind)
    return {
      kind,
      name: kind === 'other' ? name : '',
      is_current: kind === 'own' && name === 'current',
    }
  const reason = stderr.trim().slice(-300) || `exit status ${code}`
  throw new Error(`${path} was not handled (${action}): ${reason}`)
}

/** Installs or removes the file. `refuse` throws for what was found in its place. */
export const ownFileChange = (
  host: Host,
  site: Pick<Site, 'user' | 'php'>,
  action: 'install' | 'remove',
  file: OwnFile,
  refuse: (found: FoundFile) => void = () => undefined,
): Change => ({
  effects: async () => effectsOf(action, file, await runFileAction(host, site, 'look', file)),
  apply: async () => refuse(await runFileAction(host, site, action, file)),
})

function effectsOf(
  action: 'install' | 'remove',
  { path, makes_folder }: OwnFile,
  { kind, is_current }: FoundFile,
): Effect[] {
  if (action === 'remove') return kind === 'own' ? [effects.remove('file', path)] : []
  if (kind === 'own') return is_current ? [] : [effects.change('file', path)]
  if (kind === 'none') return [effects.create('file', path)]
  if (kind === 'other' || !makes_folder) return []
  return [effects.create('folder', posix.dirname(path)), effects.create('file', path)]
}
