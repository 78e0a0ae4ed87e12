import { expect, test } from 'bun:test'
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { Machine } from '#scripts/install/machine.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const quiet = () => undefined

test('the steps of an installation are undone, newest first', async () => {
  await using home = await makeFolder()
  const at = (name: string) => `${home.path}/${name}`
  await writeFile(at('old'), 'before')
  await writeFile(at('gone'), 'gone before')
  await symlink('first', at('link'))
  const machine = new Machine(false, quiet)
  const order: string[] = []
  const note = (word: string) => machine.undo(word, async () => void order.push(word))

  note('one')
  const changed = [
    await machine.put(at('old'), 'after', 0o600),
    await machine.put(at('old'), 'after', 0o600),
    await machine.put(at('deep/new'), 'new'),
    await machine.remove(at('gone')),
  ]
  await machine.link(at('link'), 'second')
  await machine.link(at('another'), 'x')
  await machine.folder(at('made/below'))
  note('two')
  const during = [await readFile(at('old'), 'utf8'), await readlink(at('link'))]
  const mode = (await stat(at('old'))).mode & 0o777

  expect(await machine.rollBack()).toEqual([])
  expect(changed).toEqual([true, false, true, true])
  expect([during, mode]).toEqual([['after', 'second'], 0o600])
  expect(order).toEqual(['two', 'one'])
  expect((await readdir(home.path)).sort()).toEqual(['deep', 'gone', 'link', 'old'])
  expect(await readdir(at('deep'))).toEqual([])
  expect(await readFile(at('old'), 'utf8')).toBe('before')
  expect(await readFile(at('gone'), 'utf8')).toBe('gone before')
  expect(await readlink(at('link'))).toBe('first')
})

test('a failed undo does not prevent the others', async () => {
  const machine = new Machine(false, quiet)
  const done: string[] = []
  machine.undo('first', async () => void done.push('first'))
  machine.undo('second', async () => {
    throw new Error('no')
  })

  expect(await machine.rollBack()).toEqual(['second: no'])
  expect(done).toEqual(['first'])
})

test('a failed program ends it with its last output', async () => {
  const machine = new Machine(false, quiet)
  const failing = ['sh', '-c', 'echo out; echo why >&2; exit 3']

  expect(machine.run(failing)).rejects.toThrow('(exit status 3): why')
  expect(await machine.attempt(failing)).toEqual({ status: 3, stdout: 'out\n', message: 'why' })
})

test('a dry run lists the changes, reads, and changes nothing', async () => {
  await using home = await makeFolder()
  await mkdir(`${home.path}/sub`)
  await chmod(`${home.path}/sub`, 0o700)
  await writeFile(`${home.path}/sub/file`, 'text')
  const printed: string[] = []
  const machine = new Machine(true, (line) => printed.push(line.replaceAll(home.path, '')))

  await machine.put(`${home.path}/file`, 'x')
  await machine.put(`${home.path}/sub/file`, 'other')
  await machine.remove(`${home.path}/sub/file`)
  await machine.link(`${home.path}/link`, 'target')
  await machine.folder(`${home.path}/sub`)
  await machine.run(['touch', `${home.path}/touched`])
  const read = await machine.run(['cat', `${home.path}/sub/file`], { reads: true })

  expect(read).toBe('text')
  expect(printed).toEqual([
    '  would write /file',
    '  would change /sub/file',
    '  would remove /sub/file',
    '  would link /link to target',
    '  would run touch /touched',
  ])
  expect(await readdir(home.path)).toEqual(['sub'])
  expect((await stat(`${home.path}/sub`)).mode & 0o777).toBe(0o700)
})

test('an interrupted installation starts nothing new, and can still be undone', async () => {
  await using home = await makeFolder()
  const machine = new Machine(false, quiet)
  await machine.put(`${home.path}/file`, 'x')
  machine.interrupt()

  expect(machine.put(`${home.path}/other`, 'x')).rejects.toThrow('interrupted')
  expect(machine.run(['true'])).rejects.toThrow('interrupted')
  expect(await machine.rollBack()).toEqual([])
  expect(await readdir(home.path)).toEqual([])
})
