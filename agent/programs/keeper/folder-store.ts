import type { Host, Stat } from '#agent/kernel/host/ports.ts'
import { KEEPER_FOLDER } from '#shared/backups/backup-find.ts'
import { FOLDERS, reportKey, type Store, type StoredFile } from './store.ts'

const MAX_TEXT = 65_536
const LIMIT = { timeout_ms: 30 * 60_000 }

/** Repositories in a folder of this machine. Programs run as its owner, who may add links. */
export function folderStore({ shell, files, privileged }: Host, path: string): Store {
  const folderOf = (repository: string) => `${path}/${repository}`
  const launcherFor = async (repository: string) =>
    privileged ? asOwner(await files.stat(folderOf(repository)), folderOf(repository)) : []
  const run = async (repository: string, argv: readonly string[]) =>
    (await shell.run([...(await launcherFor(repository)), ...argv], LIMIT)).stdout
  return {
    name: path,
    async repositories() {
      const entries = await files.list(path)
      const folders = entries.filter(({ name, kind }) => kind === 'directory' && NAME.test(name))
      const found = await Promise.all(
        folders.map(async ({ name }) => {
          const config = await files.stat(`${folderOf(name)}/config`).catch(() => undefined)
          return config?.kind === 'file' ? [name] : []
        }),
      )
      return found.flat().sort()
    },
    async files(repository) {
      /** Status 1: a lock was removed meanwhile. */
      const find = async (argv: readonly string[]) => {
        const words = [...(await launcherFor(repository)), 'find', ...argv]
        const { code, stdout, stderr } = await shell.try(words, LIMIT)
        if (code > 1 || (code === 1 && stdout === '')) throw new Error(`find: ${stderr.trim()}`)
        return stdout
      }
      const own = FOLDERS.map((folder) => `${folderOf(repository)}/${folder}`)
      const only = ['-maxdepth', '1', '-type', 'f']
      const listed = await find([...own, ...only, '-printf', '%s %T@ %p\\0'])
      const sum = ['-exec', 'sha256sum', '--zero', '--', '{}', '+']
      const sums = digestsIn(await find([...own, ...only, ...sum]))
      return listed.split('\0').flatMap((line) => fileIn(line, sums))
    },
    read: (repository, { folder, name }) =>
      run(repository, [
        'head',
        `--bytes=${MAX_TEXT}`,
        '--',
        `${folderOf(repository)}/${folder}/${name}`,
      ]),
    async takeOut(repository, { folder, name }) {
      const garbage = `${folderOf(repository)}/garbage`
      await run(repository, ['mkdir', '-p', '-m', '0700', '--', garbage])
      const from = `${folderOf(repository)}/${folder}/${name}`
      await run(repository, [
        'mv',
        '--no-target-directory',
        '--',
        from,
        `${garbage}/${folder}-${name}`,
      ])
    },
    async removeDrafts(repository) {
      const data = `${folderOf(repository)}/data`
      if ((await files.stat(data))?.kind !== 'directory') return
      const old = ['-mindepth', '1', '-type', 'f', '-mmin', '+1440', '!', '-regex', PACK]
      await run(repository, ['find', data, ...old, '-delete'])
    },
    async report(texts) {
      const launcher = privileged ? asOwner(await files.stat(path), path) : []
      const write = (argv: readonly string[], options = {}) =>
        shell.run([...launcher, ...argv], { ...LIMIT, ...options })
      const folder = `${path}/${KEEPER_FOLDER}/keys`
      const draft = `${folder}/draft`
      await write(['mkdir', '-p', '-m', '0700', '--', folder])
      for (const text of texts) {
        await write(['dd', 'status=none', `of=${draft}`], { input: text, umask: 0o077 })
        await write(['mv', '--no-target-directory', '--', draft, `${folder}/${reportKey(text)}`])
      }
      const others = texts.flatMap((text) => ['!', '-name', reportKey(text)])
      await write(['find', folder, '-mindepth', '1', '-maxdepth', '1', ...others, '-delete'])
    },
    restic: async (repository) => ({
      launcher: await launcherFor(repository),
      options: ['--no-cache'],
      env: { RESTIC_REPOSITORY: folderOf(repository) },
    }),
  }
}

const NAME = /^[a-z_][a-z0-9_-]{0,31}$/
const HASH = /^[0-9a-f]{64}$/
/** A pattern of find(1) for packs, which programs write under another name first. */
const PACK = `.*/${'[0-9a-f]'.repeat(64)}`

function asOwner(folder: Stat | undefined, path: string): string[] {
  if (folder?.kind !== 'directory') throw new Error(`${path} is not a folder`)
  const { uid, gid } = folder
  if (uid === 0) return []
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--']
}

/** Parses the lines of sha256sum by path. */
function digestsIn(text: string): Map<string, string> {
  const lines = text.split('\0').filter((line) => HASH.test(line.slice(0, 64)))
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

function fileIn(line: string, sums: ReadonlyMap<string, string>): StoredFile[] {
  const [, size, seconds, path = ''] = /^(\d+) (\d+)[.\d]* ([\s\S]+)$/.exec(line) ?? []
  const [folder, name] = path.split('/').slice(-2)
  const known = FOLDERS.find((one) => one === folder)
  if (!known || name === undefined) return []
  const at = 1000 * Number(seconds)
  return [{ folder: known, name, size: Number(size), at, sha256: sums.get(path) }]
}
