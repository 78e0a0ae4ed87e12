import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Outcome, RunOptions } from './run.ts'

type Exec = (argv: readonly string[], options?: RunOptions) => Promise<Outcome>

/** Writes a file inside a running machine, where /run differs from the disk. */
export async function putInside(
  exec: Exec,
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  const made = await exec(['install', '-D', `--mode=${mode.toString(8)}`, '/dev/null', path])
  const written = await exec(['dd', `of=${path}`, 'status=none', 'bs=64K'], { input: content })
  const failed = [made, written].find(({ code }) => code !== 0)
  if (failed) throw new Error(`${path}: ${failed.stderr}`)
}

/** Writes a file on the disk of a machine that is off. */
export async function putOnDisk(
  root: string,
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  const target = join(root, path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, content, { mode })
}
