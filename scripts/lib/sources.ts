import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface Document {
  /** Its path from the root of the repository. */
  path: string
  text: string
}

/** Returns all documents that people read. */
export const readDocuments = (root: string) => readFiles(root, ['*.md', '.github/**/*.md'])

const SOURCES = ['{agent,dashboard,shared,scripts,tests}/**/*.{ts,tsx,mjs,sh,txt,css,html}']
const GENERATED = 'dashboard/kernel/db/migrations/'

/** Returns all files of source code, sorted by path. */
export const readSources = (root: string) => readFiles(root, SOURCES)

async function readFiles(root: string, patterns: readonly string[]): Promise<Document[]> {
  const scan = (pattern: string) => new Bun.Glob(pattern).scan({ cwd: root, dot: true })
  const found = await Promise.all(patterns.map((pattern) => Array.fromAsync(scan(pattern))))
  const paths = found.flat().filter((path) => !path.startsWith(GENERATED))
  return Promise.all(
    paths.sort().map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  )
}

export interface Import {
  from: string
  to: string
}

const STATEMENT = /(?:from\s+|import\s*\(?\s*)'((?:\.|#)[^'\n]+)'/g

/** Returns every import of one source file by another, with paths from the root. */
export function importsIn(files: readonly Document[]): Import[] {
  const known = new Set(files.map(({ path }) => path))
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(STATEMENT)]
      .map(([, name = '']) => (name.startsWith('#') ? name.slice(1) : join(dirname(path), name)))
      .filter((to) => known.has(to))
      .map((to) => ({ from: path, to })),
  )
}
