// tier: full
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { ALL, CHANGES, savedWorld } from '#tests/support/system/chosen-parts.ts'

const MINUTES = 60_000

const reason = lab.available()
describe.skipIf(reason !== undefined)(`parts of a backup${reason ? ` [${reason}]` : ''}`, () => {
  let world: Awaited<ReturnType<typeof savedWorld>>
  const run = (...input: Parameters<typeof world.run>) => world.run(...input)
  const completed = (command: string, params: object) => world.completed(command, params)
  const restore = (parts: Parameters<typeof world.restore>[0]) => world.restore(parts)
  const paths = (...chosen: string[]) => restore({ files: true, database: false, paths: chosen })
  const [bash, sql] = [(text: string) => world.bash(text), (text: string) => world.sql(text)]
  const state = () => world.state()
  const [left, undo, files] = [() => world.left(), () => world.undo(), () => world.files()]
  const rows = (tables: readonly string[]) => world.rows(tables)

  beforeAll(async () => {
    world = await savedWorld()
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test(
    'chosen paths come back with everything in them, and nothing else changes',
    async () => {
      const saved = await files()
      await bash(`rm -r a odd/in && printf changed > odd/sparse && printf bad > 'odd/q"[1]*' &&
        printf changed > one/1 && printf new > one/2 && printf evil > odd/evil &&
        chown ${world.user}: one/2 odd/evil`)
      const changed = await state()

      await completed('backup.restore', paths('odd', 'a/b/c/file', 'one/1', 'one'))

      expect(await files()).toEqual(saved)
      expect((await state()).rows).toEqual(changed.rows)
      await bash('printf later > later')
      await undo()
      await bash('rm later')
      expect(await state()).toEqual(changed)
      await completed('backup.restore', paths('odd/q"[1]*', 'odd/*'))
      expect(await bash(`cat 'odd/q"[1]*' 'odd/*' odd/evil odd/sparse`)).toBe('z1evilchanged')
      await undo()
      expect(await state()).toEqual(changed)
      await completed('backup.restore', paths('odd', 'a', 'one'))
      expect(await files()).toEqual(saved)
    },
    10 * MINUTES,
  )

  test(
    'a path that the backup does not have is an error before anything changes',
    async () => {
      const [before, rest] = [await state(), await left()]

      const { outcome } = await run('backup.restore', paths('odd', 'nothing/here'))

      expect(outcome.data.message).toBe('The backup does not have nothing/here')
      expect([await state(), await left()]).toEqual([before, rest])
    },
    5 * MINUTES,
  )

  test.each([
    ['/etc'],
    ['/srv/www/.restore'],
    ['/mnt/store'],
    ['../../other1/public'],
    ['/srv/www'],
  ])(
    'a folder that is a link to %s now leads nowhere',
    async (to) => {
      await world.host.must(['mkdir', '-p', '/srv/www/other1/public/b/c'])
      const outside = async () =>
        world.host.must([
          ...['bash', '-c'],
          'find /etc /srv/www/other1 /mnt/store -type f -not -path "*hosting*" -not -path "*/locks/*" -printf "%p %i %s %T@\\n"',
        ])
      await bash(`mv a a.real && ln -s ${to} a && chown -h ${world.user}: a`)
      const [before, around] = [await state(), await outside()]

      const { outcome } = await run('backup.restore', paths('a/b/c/file', 'one'))

      expect(outcome.data.message).toContain('a is not a folder on the site now')
      expect(await outside()).toBe(around)
      expect(await state()).toEqual(before)
      await completed('backup.restore', paths('a'))
      expect(await bash('cat a/b/c/file')).toBe('c')
      expect(await outside()).toBe(around)
      await undo()
      expect(await state()).toEqual(before)
      await bash('rm a && mv a.real a')
    },
    5 * MINUTES,
  )

  test(
    'chosen tables of all engines come back, and no other table changes',
    async () => {
      const saved = await rows(ALL)
      await sql(CHANGES)
      const changed = await state()

      await completed('backup.restore', restore({ files: false, database: true, tables: ALL }))

      expect(await rows(ALL)).toEqual(saved)
      expect(await sql('SELECT id FROM t_other; SHOW TABLES LIKE "t_new"')).toBe('2\nt_new\n')
      expect((await state()).files).toEqual(changed.files)
      await sql('UPDATE t_other SET id = 3')
      await undo()
      expect(await rows(ALL)).toEqual(keyed(changed.rows, ALL))
      expect(await sql('SELECT id FROM t_other')).toBe('3\n')
    },
    10 * MINUTES,
  )

  test(
    'a table that the backup does not have is an error before anything changes',
    async () => {
      const [before, rest] = [await state(), await left()]
      const parts = { files: false, database: true, tables: ['t_aria', 't_new'] }

      const { outcome } = await run('backup.restore', restore(parts))

      expect(outcome.data.message).toBe('The backup does not have the table t_new')
      expect([await state(), await left()]).toEqual([before, rest])
    },
    5 * MINUTES,
  )

  test(
    'a restore of parts that fails changes nothing, whichever step fails',
    async () => {
      await bash('printf now > one/1 && rm -r a')
      const [before, rest] = [await state(), await left()]
      const parts = { files: true, database: true, paths: ['one', 'a/b', 'odd'], tables: ALL }
      for (const step of [
        'fetch',
        'stop',
        'keep',
        'dump',
        'database',
        'files',
        'start',
        'release',
      ]) {
        const { outcome } = await run('backup.restore', restore(parts), `${step}:1`)
        expect([step, outcome.data.message]).toEqual([step, 'injected fault'])
        expect([step, await state()]).toEqual([step, before])
        expect([step, await left()]).toEqual([step, rest])
      }
    },
    10 * MINUTES,
  )
})

const keyed = (dump: Record<string, string>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, dump[name] ?? '']))
