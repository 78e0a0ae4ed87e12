// tier: gate
import { afterEach, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import {
  type HelperProcess,
  type HelperTimes,
  ScanHelper,
} from '#agent/kernel/host/real/scan-helper.ts'

const TIMES: HelperTimes = { silence_ms: 10_000, reading_ms: 10_000, idle_ms: 60_000 }
const SHORT: HelperTimes = { ...TIMES, reading_ms: 400 }
const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

function killable(child: ChildProcess): HelperProcess {
  started.push(child)
  const { stdin, stdout } = child
  const once = child.once.bind(child)
  return { stdin, stdout, once, complaint: () => '', kill: () => child.kill('SIGKILL') }
}

/**
 * A helper that reads the password of each site with this code, and otherwise returns its docroot.
 */
function helper(code: string, times = TIMES): ScanHelper {
  const program = `
    const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
    for await (const line of console) {
      const { id, site } = JSON.parse(line)
      say({ id, reading: true })
      ${code}
      say({ id, result: { answer: site.docroot, unsure: false, owner: '' } })
    }`
  return new ScanHelper(() => {
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
    return killable(child)
  }, times)
}

const ask = (scanner: ScanHelper, docroots: string[]) =>
  Promise.all(
    docroots.map((docroot) =>
      scanner.databasePassword({ docroot }).then(
        ({ answer }) => answer,
        (error: Error) => error.message,
      ),
    ),
  )

test('one process reads many sites', async () => {
  const scanner = helper('')

  expect(await ask(scanner, ['/a', '/b'])).toEqual(['/a', '/b'])
  expect(await ask(scanner, ['/c'])).toEqual(['/c'])
  expect(started.length).toBe(1)
})

test.each([
  ['dies', 'process.exit(7)', 'it ended with status 7'],
  ['hangs', 'for (;;) {}', 'it did not answer in time'],
  ['answers something else', `console.log('nonsense')`, 'it answered something else'],
  [
    'answers too much',
    `process.stdout.write('x'.repeat(9 << 20)); await new Promise(() => {})`,
    'its answer is too long',
  ],
])('fails only the site at which a process %s', async (_, wrong, reason) => {
  const times = wrong.startsWith('for') ? SHORT : TIMES
  const scanner = helper(`if (site.docroot === '/bad') { ${wrong} }`, times)

  const answers = await ask(scanner, ['/a', '/bad', '/b', '/c'])

  expect(answers).toEqual(['/a', `The site could not be read: ${reason}`, '/b', '/c'])
  expect(await ask(scanner, ['/d'])).toEqual(['/d'])
  expect(started.length).toBe(2)
})

test('reads a site again even when many others end the process', async () => {
  const scanner = helper(`if (site.docroot.startsWith('/bad')) process.exit(7)`)
  const bad = ['/bad1', '/bad2', '/bad3', '/bad4', '/bad5']

  const answers = await ask(scanner, [...bad, '/a'])

  expect(answers).toEqual([
    ...bad.map(() => 'The site could not be read: it ended with status 7'),
    '/a',
  ])
})

test('fails in the end when no process starts', async () => {
  const scanner = new ScanHelper(() => {
    const child = spawn('/does/not/exist', { stdio: ['pipe', 'pipe', 'ignore'] })
    return killable(child)
  }, TIMES)

  const [answer] = await ask(scanner, ['/a'])

  expect(answer).toContain('The site could not be read: ')
  expect(started.length).toBe(3)
})

test.each([
  ['result: { docroot: 1 }', 'The scan returned an answer that cannot be used'],
  [`error: 'no such user'`, 'no such user'],
])('says why a site whose answer has %s could not be read', async (field, reason) => {
  expect(await ask(helper(`say({ id, ${field} }); continue`), ['/a'])).toEqual([reason])
})

test('ends an idle process, and starts another for new work', async () => {
  const scanner = helper('', { ...TIMES, idle_ms: 50 })
  expect(await ask(scanner, ['/a'])).toEqual(['/a'])
  await new Promise((resolve) => started[0]?.once('close', resolve))

  expect(await ask(scanner, ['/b'])).toEqual(['/b'])
  expect(started.length).toBe(2)
})
