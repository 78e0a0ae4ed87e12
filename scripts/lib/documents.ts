import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Document {
  /** Its path from the root of the repository. */
  path: string
  text: string
}

const DOCUMENTS = ['*.md', '.github/**/*.md']

/** All documents that people read. */
export async function readDocuments(root: string): Promise<Document[]> {
  const paths = await filesLike(root, DOCUMENTS)
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  )
}

const SOURCES = ['{agent,dashboard,shared,scripts,tests}/**/*.{ts,tsx,mjs,sh,txt,css,html}']
const GENERATED = 'dashboard/db/migrations/'

/** All files of source code, sorted by path. */
export async function readSources(root: string): Promise<Document[]> {
  const paths = (await filesLike(root, SOURCES)).filter((path) => !path.startsWith(GENERATED))
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  )
}

async function filesLike(root: string, patterns: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    patterns.map((pattern) =>
      Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root, dot: true })),
    ),
  )
  return found.flat().sort()
}
