import { dirname, join } from 'node:path'
import type { Document } from './documents.ts'

export interface Import {
  from: string
  to: string
}

const STATEMENT = /(?:from\s+|import\s*\(?\s*)'((?:\.|#)[^'\n]+)'/g

/** Every import of one source file by another, of types too; paths from the root of the repository. */
export function importsIn(files: readonly Document[]): Import[] {
  const known = new Set(files.map(({ path }) => path))
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(STATEMENT)]
      .map(([, name = '']) => (name.startsWith('#') ? name.slice(1) : join(dirname(path), name)))
      .filter((to) => known.has(to))
      .map((to) => ({ from: path, to })),
  )
}
