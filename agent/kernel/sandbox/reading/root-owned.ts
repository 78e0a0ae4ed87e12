import type { Host, Stat } from '#agent/kernel/host/ports.ts'

const WRITABLE_BY_OTHERS = 0o022

/** Returns why root cannot trust a file: somebody else may change it, or a folder on its path. */
export async function pathProblem({ files }: Host, file: string): Promise<string | undefined> {
  const parts = file.split('/')
  for (const at of parts.keys()) {
    const path = parts.slice(0, at + 1).join('/') || '/'
    const problem = problemOf(await files.stat(path), path === file ? 'file' : 'directory')
    if (problem !== undefined) return `${path} ${problem}`
  }
  return undefined
}

function problemOf(found: Stat | undefined, kind: 'file' | 'directory'): string | undefined {
  if (found?.kind !== kind) return `is not a ${kind}`
  if (found.uid !== 0) return 'does not belong to root'
  return (found.mode & WRITABLE_BY_OTHERS) === 0 ? undefined : 'is writable by others than root'
}
