import { type Case, failureOf, PLACE } from './case.ts'

export const FILES: Case[] = [
  {
    title: 'a file is written with its folders, for everybody to read',
    async act({ files }) {
      await files.write(`${PLACE}/one/two/file`, 'größer')
      const [file, folder] = [`${PLACE}/one/two/file`, `${PLACE}/one`].map((path) =>
        files.stat(path),
      )
      const { mtime_ms: _, ...stat } = { ...(await file) }
      return [await files.read(`${PLACE}/one/two/file`), stat, (await folder)?.mode]
    },
    answer: ['größer', { kind: 'file', size: 8, mode: 0o644, uid: 0, gid: 0 }, 0o755],
  },
  {
    title: 'a file has the mode, owner and group that it is written with',
    async act({ files }) {
      const stats = []
      for (const group of [{}, { group: 'root' }]) {
        await files.write(`${PLACE}/owned`, '', { mode: 0o640, owner: 'www-data', ...group })
        stats.push(await files.stat(`${PLACE}/owned`))
      }
      await files.write(`${PLACE}/owned`, '')
      stats.push(await files.stat(`${PLACE}/owned`))
      return stats.map((stat) => [stat?.mode, stat?.uid, stat?.gid])
    },
    answer: [
      [0o640, 33, 33],
      [0o640, 33, 0],
      [0o644, 0, 0],
    ],
  },
  {
    title: 'a part of a file ends with it, and none is read through a link',
    async act({ files }) {
      await files.write(`${PLACE}/long`, '0123456789')
      await files.link(`${PLACE}/long`, `${PLACE}/link-to-long`)
      const part = async (path: string, from: number, most: number) => {
        const bytes = await files.part(`${PLACE}/${path}`, from, most)
        return bytes ? new TextDecoder().decode(bytes) : null
      }
      const found = [await part('long', 2, 3), await part('long', 8, 9), await part('long', 20, 1)]
      return [
        ...found,
        await part('link-to-long', 0, 1),
        await part('', 0, 1),
        await part('no', 0, 1),
      ]
    },
    answer: ['234', '89', '', null, null, null],
  },
  {
    title: 'a link is read through, and is replaced when something is written to its path',
    async act({ files }) {
      const [target, link] = [`${PLACE}/target`, `${PLACE}/link`]
      await files.write(target, 'target')
      await files.link(target, link)
      const before = [await files.read(link), (await files.stat(link))?.kind]
      await files.write(link, 'own')
      return [before, await files.read(target), await files.read(link)]
    },
    answer: [['target', 'link'], 'target', 'own'],
  },
  {
    title: 'a link replaces a file, may be relative, and leads to the files of a folder',
    async act({ files }) {
      await files.write(`${PLACE}/folder/file`, 'text')
      await files.write(`${PLACE}/way`, '')
      await files.link('folder', `${PLACE}/way`)
      await files.write(`${PLACE}/way/new`, 'new')
      const list = async (path: string) => (await files.list(path)).map(({ name }) => name).sort()
      const lists = [await list(`${PLACE}/way`), await list(`${PLACE}/folder`)]
      await files.remove(`${PLACE}/way`)
      return [...lists, await files.read(`${PLACE}/folder/file`)]
    },
    answer: [['file', 'new'], ['file', 'new'], 'text'],
  },
  {
    title: 'what is no file has no text, and a file beyond the limit is refused',
    async act({ files }) {
      await files.write(`${PLACE}/large`, 'ää')
      return [
        await files.read(`${PLACE}/missing`),
        await files.read(PLACE),
        await files.read(`${PLACE}/large/below`),
        await failureOf(files.read(`${PLACE}/large`, 3)),
      ].map((value) => value ?? null)
    },
    answer: [null, null, null, `${PLACE}/large is larger than 3 bytes`],
  },
  {
    title: 'text is appended to a new file for its owner alone, in a folder that exists',
    async act({ files }) {
      await files.mkdir(`${PLACE}/logs`)
      for (const line of ['a\n', 'b\n']) await files.append(`${PLACE}/logs/log`, line)
      const { mode } = (await files.stat(`${PLACE}/logs/log`)) ?? {}
      const missing = await failureOf(files.append(`${PLACE}/absent/log`, ''))
      return [await files.read(`${PLACE}/logs/log`), mode, missing]
    },
    answer: ['a\nb\n', 0o600, 'ENOENT'],
  },
  {
    title: 'a folder is moved with its contents, over a file too, and only if it exists',
    async act({ files }) {
      await files.write(`${PLACE}/from/below/file`, 'moved')
      await files.rename(`${PLACE}/from`, `${PLACE}/to`)
      await files.write(`${PLACE}/new`, 'new')
      await files.rename(`${PLACE}/new`, `${PLACE}/to/below/file`)
      const gone = (await files.stat(`${PLACE}/from`)) ?? null
      return [
        gone,
        await files.read(`${PLACE}/to/below/file`),
        await failureOf(files.rename(`${PLACE}/from`, `${PLACE}/other`)),
        await failureOf(files.rename(`${PLACE}/to`, `${PLACE}/absent/to`)),
      ]
    },
    answer: [null, 'new', 'ENOENT', 'ENOENT'],
  },
  {
    title: 'a folder that exists keeps its contents, and its mode unless another is given',
    async act({ files }) {
      const path = `${PLACE}/kept`
      const mode = async () => (await files.stat(path))?.mode
      await files.mkdir(path, { mode: 0o700 })
      await files.write(`${path}/file`, 'text')
      await files.mkdir(path)
      const before = await mode()
      await files.mkdir(path, { mode: 0o711, group: 'www-data' })
      return [before, await mode(), (await files.stat(path))?.gid, await files.read(`${path}/file`)]
    },
    answer: [0o700, 0o711, 33, 'text'],
  },
  {
    title:
      'a list has the kind of each entry, as many as allowed, and is empty for what is missing',
    async act({ files }) {
      await files.write(`${PLACE}/listed/file`, '')
      await files.mkdir(`${PLACE}/listed/folder`)
      await files.link('/nowhere', `${PLACE}/listed/link`)
      const entries = await files.list(`${PLACE}/listed`)
      return [
        entries.map(({ name, kind }) => `${name} ${kind}`).sort(),
        (await files.list(`${PLACE}/listed`, 1)).length,
        await files.list(`${PLACE}/absent`),
        await files.list(`${PLACE}/listed/file`),
      ]
    },
    answer: [['file file', 'folder directory', 'link link'], 1, [], []],
  },
  {
    title: 'a tree is removed without what its links lead to, and a missing one without an error',
    async act({ files }) {
      await files.write(`${PLACE}/outside/file`, 'kept')
      await files.write(`${PLACE}/tree/below/file`, '')
      await files.link(`${PLACE}/outside`, `${PLACE}/tree/link`)
      for (const _ of [1, 2]) await files.remove(`${PLACE}/tree`)
      return [
        (await files.stat(`${PLACE}/tree`)) ?? null,
        await files.read(`${PLACE}/outside/file`),
      ]
    },
    answer: [null, 'kept'],
  },
  {
    title: 'nothing is below a file',
    async act({ files }) {
      await files.write(`${PLACE}/plain`, 'text')
      return [
        (await files.stat(`${PLACE}/plain/below`)) ?? null,
        await failureOf(files.append(`${PLACE}/plain/below`, '')),
        await files.read(`${PLACE}/plain`),
      ]
    },
    answer: [null, 'ENOTDIR', 'text'],
  },
]
