import { posix } from 'node:path'
import type { Output } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { printed } from './output.ts'

const OWN = 'Made by Hosting Control'

/** The program for our files in a site; undefined for any other one. */
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

/** A new WordPress has no folder of must-use plugins. */
const isFolderMissing = (disk: Disk, path: string): boolean =>
  path.includes('/mu-plugins/') && !disk.find(posix.dirname(path))
