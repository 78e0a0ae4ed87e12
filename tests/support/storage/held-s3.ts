import { S3_PORT } from './ceph.ts'
import { besideS3 } from './keeper-world.ts'
import { TLS } from './service.ts'

const PORT = 7444

/** A bucket whose keeper asks it through a proxy, which can hold its requests at a moment. */
export async function besideHeldS3(options: Parameters<typeof besideS3>[0] = {}) {
  const place = await besideS3(options)
  const { host } = place.storage
  const proxy = await startProxy(host.netns, [
    ...[host.address, String(PORT), String(S3_PORT)],
    ...[`${host.root}${TLS.key}`, `${host.root}${TLS.certificate}`],
  ])
  const { url } = place.target.place
  return { ...place, proxy, store: { ...place.store, url: url.replace(/\d+$/, String(PORT)) } }
}

async function startProxy(netns: string, args: readonly string[]) {
  const program = [process.execPath, 'tests/support/storage/holding-proxy.ts', ...args]
  const child = Bun.spawn(['ip', 'netns', 'exec', netns, ...program], {
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  })
  const lines = linesOf(child.stdout)
  const next = async (word: string) => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('the proxy has ended')
      if (value === word) return
    }
  }
  const say = async (line: string) => {
    child.stdin.write(`${line}\n`)
    child.stdin.flush()
    await next('done')
  }
  await next('ready')
  return {
    /** From the n-th request on whose method and path match. */
    hold: (pattern: string, n = 1) => say(`hold ${n} ${pattern}`),
    /** Waits until a request is held. */
    held: () => next('held'),
    release: () => say('release'),
    /** The held requests are never answered, and new ones pass. */
    drop: () => say('drop'),
    stop: () => child.kill(),
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
