import type { Host, WriteOptions } from '#agent/kernel/host/ports.ts'
import { conflict } from '#shared/kernel/errors.ts'

export const MARK = 'Made by Hosting Control'
export const MARK_LINE = `${MARK}. Changes in this file are overwritten.`

export type GeneratedFile = { path: string; text: string; options?: WriteOptions }

/** Writes a file that this agent generates; returns the undo. */
export async function replaceGenerated(
  host: Host,
  path: string,
  text: string,
  options: WriteOptions = {},
): Promise<() => Promise<void>> {
  const before = await readGenerated(host, path)
  if (before === text) return async () => undefined
  await host.files.write(path, text, options)
  return () =>
    before === undefined ? host.files.remove(path) : host.files.write(path, before, options)
}

/** Replaces each file; the undo restores the last one first. */
export async function replaceAllGenerated(
  host: Host,
  files: readonly GeneratedFile[],
): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = []
  for (const { path, text, options } of files)
    undo.push(await replaceGenerated(host, path, text, options))
  return async () => {
    for (const one of undo.toReversed()) await one()
  }
}

/** Throws conflict for a file that somebody else wrote. */
export async function readGenerated(host: Host, path: string): Promise<string | undefined> {
  const text = await host.files.read(path)
  if (text === undefined || text.includes(MARK)) return text
  throw conflict(`${path} was not made by Hosting Control: move it away and try again`)
}

/** Removes a file that this agent generated; one that somebody else wrote stays. */
export async function removeGenerated(host: Host, path: string): Promise<void> {
  const text = await host.files.read(path)
  if (text?.includes(MARK)) await host.files.remove(path)
}
