import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Inputs {
  root: string
  /** The sources; the packages and the version of Bun count too. */
  globs: readonly string[]
  /** All other inputs of the result. */
  options: unknown
}

/** Calls `build` unless `file` was built from the same inputs. Returns whether it did. */
export async function buildOnce(
  file: string,
  inputs: Inputs,
  build: () => Promise<void>,
): Promise<boolean> {
  const mark = `${file}.inputs`
  const digest = await digestOf(inputs)
  if (existsSync(file) && (await readFile(mark, 'utf8').catch(() => '')) === digest) return false
  await build()
  await writeFile(mark, digest)
  return true
}

async function digestOf({ root, globs, options }: Inputs): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([Bun.revision, options]))
  const sources = await Promise.all(globs.map((glob) => matching(root, glob)))
  for (const path of ['package.json', 'bun.lock', 'tsconfig.json', ...sources.flat().sort()]) {
    hash.update(`\0${path}\0`).update(await readFile(join(root, path)))
  }
  return hash.digest('hex')
}

/** Bun's Glob finds nothing for braces with a slash in them: without sources nothing would be rebuilt. */
async function matching(root: string, glob: string): Promise<string[]> {
  const found = await Array.fromAsync(new Bun.Glob(glob).scan({ cwd: root }))
  if (found.length === 0) throw new Error(`No source is called ${glob}`)
  return found
}
