import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { Document } from './documents.ts'

const TOP = '(?:agent|dashboard|shared|scripts|tests|\\.github|\\.ci)'
const PATH = new RegExp(`(?<![\\w./-])${TOP}/[\\w./*-]*[\\w*/]`, 'g')

/** Paths of the repository that a document names in code; `*` stands for a part of a name. */
function pathsIn({ text }: Document): string[] {
  const code = [...text.matchAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm)].map(([found]) => found)
  const paths = code.flatMap((piece) => [...piece.matchAll(PATH)].map(([path]) => path))
  return [...new Set(paths)].sort()
}

/** Returns the paths that do not exist in the repository. */
export async function missingPaths(root: string, document: Document): Promise<string[]> {
  const paths = pathsIn(document)
  const exists = await Promise.all(paths.map((path) => names(root, path)))
  return paths.filter((_, at) => !exists[at])
}

async function names(root: string, path: string): Promise<boolean> {
  if (!path.includes('*')) return existsSync(join(root, path))
  for await (const _ of new Bun.Glob(path).scan({ cwd: root, dot: true, onlyFiles: false }))
    return true
  return false
}

/** Returns the broken relative links and pictures of a document, anchors of headings included. */
export function brokenLinks(root: string, from: Document, all: readonly Document[]): string[] {
  const links = [...from.text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
  const targets = links.map(([, link, attribute]) => link ?? attribute ?? '')
  return targets.filter((target) => !/^https?:/.test(target) && !leads(root, from, all, target))
}

function leads(root: string, from: Document, all: readonly Document[], target: string): boolean {
  const [file = '', heading] = target.split('#')
  const path = file === '' ? from.path : normalize(join(dirname(from.path), file))
  if (!existsSync(join(root, path))) return false
  if (heading === undefined) return true
  return headingsOf(all.find((document) => document.path === path)?.text ?? '').includes(heading)
}

/** Returns the anchors of all headings, as GitHub makes them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
