import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { BackupPlace } from '#shared/backups/backup.ts'
import { fieldOfSsh, StorageFault } from './fault.ts'
import { isKeyName, MAX_BYTES, MAX_KEYS, type StorageReader } from './reader.ts'

type SftpPlace = Extract<BackupPlace, { kind: 'sftp' }>

const OPTIONS = { timeout: 5 * 60_000, maxBuffer: 16 << 20, killSignal: 'SIGKILL' } as const

/** Reads repositories in a folder of an SFTP account; `files` has the settings of ssh(1). */
export function sftpReader({ path }: SftpPlace, files: string): StorageReader {
  const run = (commands: readonly string[]) => sftp(`${files}/ssh_config`, commands)
  return {
    async folders() {
      // restic creates a missing folder.
      const { stdout } = await run(['pwd', `-ls -ln ${path}`])
      return entriesIn(stdout).flatMap(({ mode, name }) => (mode.startsWith('d') ? [name] : []))
    },
    async keys(repositories) {
      const found = new Map<string, string[]>(repositories.map((name) => [name, []]))
      if (repositories.length === 0) return found
      // A minus continues after an error, such as a folder without keys.
      const { stdout } = await run(repositories.map((name) => `-ls -ln ${path}/${name}/keys`))
      const keys = entriesIn(stdout).flatMap((entry) => {
        const [repository = '', folder, key = ''] = entry.path.slice(path.length + 1).split('/')
        const isKey = entry.mode.startsWith('-') && folder === 'keys' && isKeyName(key)
        return isKey && entry.size <= MAX_BYTES ? [{ repository, key }] : []
      })
      const draft = await mkdtemp('/tmp/keys-')
      try {
        const perRepository = new Map<string, number>()
        const some = keys.filter(({ repository }) => {
          const count = (perRepository.get(repository) ?? 0) + 1
          perRepository.set(repository, count)
          return found.has(repository) && count <= MAX_KEYS
        })
        const local = (one: { repository: string; key: string }) =>
          `${draft}/${one.repository}.${one.key}`
        if (some.length > 0) {
          await run(
            some.map((one) => `-get ${path}/${one.repository}/keys/${one.key} ${local(one)}`),
          )
        }
        for (const one of some) {
          const text = await readFile(local(one), 'utf8').catch(() => undefined)
          if (text !== undefined) found.get(one.repository)?.push(text)
        }
        return found
      } finally {
        await rm(draft, { recursive: true, force: true })
      }
    },
  }
}

interface ListedEntry {
  mode: string
  size: number
  path: string
  name: string
}

/** Parses lines of `ls -ln`: mode, links, user, group, size, month, day, time or year, path. */
function entriesIn(text: string): ListedEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, mode = '', size, path = ''] =
      /^([-dl]\S{9,10})\s+\S+\s+\S+\s+\S+\s+(\d+)\s+\S+\s+\S+\s+\S+\s+(\S+)$/.exec(line.trim()) ??
      []
    if (path === '') return []
    return [{ mode, size: Number(size), path, name: path.slice(path.lastIndexOf('/') + 1) }]
  })
}

function sftp(config: string, commands: readonly string[]): Promise<{ stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile('sftp', ['-F', config, '-b', '-', 'target'], OPTIONS, done)
    function done(error: Error | null, stdout: string, stderr: string) {
      const reason = stderr.trim().split('\n').slice(-3).join(' | ')
      if (error) reject(new StorageFault(fieldOfSsh(reason), reason || 'sftp failed'))
      else resolve({ stdout })
    }
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(`${commands.join('\n')}\n`)
  })
}
