import type { Output } from '#agent/host/ports.ts'
import type { Disk } from '#agent/host/simulated/disk.ts'
import { printed } from './output.ts'

const OWN = 'Made by Hosting Control'

/** The program for our files in a site; undefined for any other one. */
export function dropIn(disk: Disk, argv: readonly string[]): Output | undefined {
  const [, , mark, action, path = '', text = ''] = argv
  if (mark !== '--' || !/\/(object-cache|hosting-control-purge)\.php$/.test(path)) return undefined
  const before = disk.text(path)
  const name = /Plugin Name: (.*)/.exec(before ?? '')?.[1] ?? ''
  if (before !== undefined && !before.includes(OWN)) return printed(`other ${name}`)
  if (action === 'install') disk.putText(path, text)
  if (action === 'remove') disk.drop(path)
  return printed(before === undefined ? 'none ' : 'own ')
}
