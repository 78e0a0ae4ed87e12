import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import { shell } from '#agent/kernel/host/real/shell.ts'

const node = (code: string) => [process.execPath, '-e', code]

test('returns status, output and errors of a program', async () => {
  const output = await shell.try(node('console.log("out"); console.error("err"); process.exit(3)'))

  expect(output).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('throws the last output of a failed program', async () => {
  const run = shell.run(['ls', '/nowhere'])

  await expect(run).rejects.toThrow(CommandFailed)
  await expect(run).rejects.toThrow(/^ls failed \(exit status 2\): .*\/nowhere/)
})

test('passes arguments unchanged without a shell', async () => {
  const output = await shell.run(['printf', '%s|', '$(id)', '`id`', 'a b', ';', '*'])

  expect(output.stdout).toBe('$(id)|`id`|a b|;|*|')
})

test('returns status 127 for a missing program', async () => {
  expect((await shell.try(['no-such-program'])).code).toBe(127)
})

test('passes nothing of its own environment to a program', async () => {
  process.env.CANARY = 'secret'

  const { stdout } = await shell.run(['env'], { env: { EXTRA: '1' } })

  expect(stdout.split('\n').filter(Boolean).sort()).toEqual([
    'EXTRA=1',
    'HOME=/root',
    'LC_ALL=C.UTF-8',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ])
})

test('passes input on standard input', async () => {
  expect((await shell.run(['cat'], { input: 'secret' })).stdout).toBe('secret')
})

test('kills the entire group on timeout, children of children too', async () => {
  const { code } = await shell.try(['timeout', '60', 'sleep', '60'], { timeout_ms: 50 })

  expect(code).not.toBe(0)
}, 30_000)

test('streams both outputs line by line, and throws at the end', async () => {
  const lines: string[] = []
  const code = 'console.log("a"); console.log("b"); process.exit(1)'

  const reading = (async () => {
    for await (const line of shell.stream(node(code))) lines.push(line)
  })()

  await expect(reading).rejects.toThrow('exit status 1')
  expect(lines).toEqual(['a', 'b'])
})

test('applies a umask to the program alone', async () => {
  const before = process.umask()

  const { stdout } = await shell.run(node('console.log(process.umask().toString(8))'), {
    umask: 0o027,
  })

  expect([stdout, process.umask()]).toEqual(['27\n', before])
})

test('feeds a program with the output of another, and measures it', async () => {
  const input_from = { argv: node('process.stdout.write("a".repeat(300000))'), options: {} }

  const { code, stdout, fed } = await shell.try(['wc', '-c'], { input_from })

  expect([code, stdout.trim()]).toEqual([0, '300000'])
  expect(fed).toEqual({
    code: 0,
    stderr: '',
    bytes: 300_000,
    sha256: new Bun.CryptoHasher('sha256').update('a'.repeat(300_000)).digest('hex'),
    end: 'a'.repeat(200),
  })
})

test('a program that feeds another one has an input and a feeder of its own', async () => {
  const first = { argv: ['printf', 'two\n'], options: {} }
  const counting = 'process.stdin.pipe(process.stdout); console.error("counted")'
  const second = { argv: node(counting), options: { input: 'one\n', input_from: first } }
  const failing = { argv: node('console.error("no"); process.exit(3)'), options: {} }
  const between = { argv: ['cat'], options: { input_from: failing } }

  const { stdout, fed } = await shell.run(['cat'], { input_from: second })
  const failed = await shell.try(['cat'], { input_from: between })

  expect([stdout, fed?.stderr, fed?.bytes, fed?.fed?.bytes]).toEqual([
    'one\ntwo\n',
    'counted\n',
    8,
    4,
  ])
  expect([failed.code, failed.fed?.code, failed.fed?.fed?.code]).toEqual([0, 0, 3])
  expect(failed.fed?.fed?.stderr).toBe('no\n')
})

test('reports when the program that feeds another one fails, or the other one ends early', async () => {
  const failing = {
    argv: node('console.log("x"); console.error("no"); process.exit(4)'),
    options: {},
  }
  const endless = { argv: ['yes'], options: {} }

  const first = await shell.try(['cat'], { input_from: failing })
  const second = await shell.try(['true'], { input_from: endless })

  expect([first.code, first.fed?.code, first.fed?.stderr]).toEqual([0, 4, 'no\n'])
  expect(second.code).toBe(0)
})

test('passes the bytes of stdout on, and throws at the end', async () => {
  const parts: Uint8Array[] = []
  const reading = (async () => {
    const code = 'process.stdout.write(Buffer.alloc(300000, 255)); process.exitCode = 3'
    for await (const chunk of shell.bytes(node(code))) parts.push(chunk)
  })()

  await expect(reading).rejects.toThrow(/exit status 3/)
  expect(Buffer.concat(parts).equals(Buffer.alloc(300_000, 255))).toBe(true)
})

test('closes the pipe of a program whose bytes nobody reads any more', async () => {
  const chunks = shell.bytes(['yes'])
  await chunks.next()

  expect(await chunks.return()).toEqual({ done: true, value: undefined })
})

test('reports to the end of a program that works on after its input', async () => {
  const given: number[] = []
  await shell.run(['sh', '-c', 'cat > /dev/null; sleep 0.4'], {
    input_from: { argv: ['printf', '12345'], options: {} },
    seen_ms: 20,
    seen: (bytes) => given.push(bytes),
  })

  expect(given.filter((bytes) => bytes === 5).length).toBeGreaterThan(4)
})

test('reports regularly how much of a file a program has read, was given, or has written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'seen-'))
  const file = join(folder, 'input')
  writeFileSync(file, 'x'.repeat(1000))
  const [read, given, written]: number[][] = [[], [], []]
  /** Waits in a program until its progress was reported. */
  const until = (name: string) => `until [ -e ${join(folder, name)} ]; do sleep 0.01; done`
  const slowly = ['sh', '-c', `head -c 400 > /dev/null; ${until('read')}`]
  const write = (name: string) => ['sh', '-c', `printf 12345; ${until(name)}; printf 67`]
  const reported = (name: string, all: number[] | undefined, bytes: number) => ({
    seen_ms: 20,
    seen: (now: number) => {
      all?.push(now)
      if (now === bytes) writeFileSync(join(folder, name), '')
    },
  })

  await Promise.all([
    shell.run(slowly, { input_file: file, ...reported('read', read, 400) }),
    shell.run(['cat'], {
      input_from: { argv: write('given'), options: {} },
      ...reported('given', given, 5),
    }),
    shell.run(write('written'), {
      output_file: join(folder, 'out'),
      ...reported('written', written, 5),
    }),
  ])
  const ended = [read?.length, given?.length, written?.length]
  await Bun.sleep(100)

  rmSync(folder, { recursive: true })
  expect(read).toContain(400)
  expect(given).toContain(5)
  expect(written).toContain(5)
  expect([read?.length, given?.length, written?.length]).toEqual(ended)
})
