import { dirname, join } from 'node:path'
import type { Document } from './documents.ts'

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
