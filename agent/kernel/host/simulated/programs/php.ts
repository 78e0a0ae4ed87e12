import { posix } from 'node:path'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { done, failed, printed } from './output.ts'

const ORDER = /^<\?php\n\$order = json_decode\(base64_decode\('([A-Za-z0-9+/=]*)'\)/

interface ConfigOrder {
  docroot: string
  names: readonly string[]
  domain: string
  mode?: 'look' | 'write' | 'back'
  kept: Record<string, string>
}

/** Runs wp-cli with the program that changes wp-config.php's address; others do nothing. */
export function php(
  { disk }: { disk: Disk },
  argv: readonly string[],
  { input = '' }: RunOptions,
): Output {
  const found = dropIn(disk, argv)
  if (found) return found
  const [, encoded = ''] = ORDER.exec(input) ?? []
  if (encoded === '') return done()
  const order: ConfigOrder = JSON.parse(Buffer.from(encoded, 'base64').toString())
  if (order.mode === undefined) return done()
  const path = `${order.docroot}/wp-config.php`
  const text = disk.text(path) ?? '<?php\n'
  const put = (changed: string) => disk.putText(path, changed, { mode: 0o600 })
  if (order.mode === 'back') {
    const kept = order.kept['wp-config.php']
    if (kept !== undefined) put(Buffer.from(kept, 'base64').toString())
    return printed('\n{}')
  }
  if (/MULTISITE', true/.test(text)) return failed('Error: this WordPress is a network of sites')
  const changed = order.names.reduce((all, name) => all.replaceAll(name, order.domain), text)
  if (changed === text) return printed('\n{}')
  if (order.mode === 'write') put(changed)
  return printed(`\n${JSON.stringify({ 'wp-config.php': Buffer.from(text).toString('base64') })}`)
}

const OWN = 'Made by Hosting Control'

/** Runs the program for our files in a site; undefined for any other one. */
export function dropIn(disk: Disk, argv: readonly string[]): Output | undefined {
  const [, , mark, action, path = '', text = ''] = argv
  if (mark !== '--' || !/\/(object-cache|hosting-control-purge)\.php$/.test(path)) return undefined
  const found = look(disk, path, text)
  if (found.startsWith('other')) return printed(found)
  if (action === 'install') install(disk, path, text)
  if (action === 'remove') disk.drop(path)
  return printed(action === 'install' && found === 'no_folder ' ? 'none ' : found)
}

function look(disk: Disk, path: string, text: string): string {
  const before = disk.text(path)
  if (before === text) return 'own current'
  if (before?.includes(OWN)) return 'own '
  if (before !== undefined) return `other ${/Plugin Name: (.*)/.exec(before)?.[1] ?? ''}`
  return isFolderMissing(disk, path) ? 'no_folder ' : 'none '
}

function install(disk: Disk, path: string, text: string): void {
  if (isFolderMissing(disk, path)) disk.putFolder(posix.dirname(path))
  disk.putText(path, text)
}

/** Returns whether the folder of must-use plugins is missing, as in a new WordPress. */
const isFolderMissing = (disk: Disk, path: string): boolean =>
  path.includes('/mu-plugins/') && !disk.find(posix.dirname(path))
