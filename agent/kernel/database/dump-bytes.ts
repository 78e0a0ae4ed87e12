import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { inUse } from '#agent/kernel/sandbox/slice.ts'
import { cutOff, dumpArgv, END, inputOf, refuse } from './dump.ts'
import { tablesInUse } from './tables.ts'

/**
 * The bytes of a dump, for a slow reader: once it has begun, it does not wait for other programs of the
 * site, nor they for it. Throws if it was cut off before its end, also after its last bytes.
 */
export async function* dumpBytes(
  host: Host,
  user: string,
  limits: Required<Pick<RunOptions, 'operation' | 'timeout_ms'>>,
): AsyncGenerator<Uint8Array, void> {
  const { operation, timeout_ms } = limits
  const begun = await inUse(host, user, async () => {
    const tables = await tablesInUse(host, user)
    const given = { network: false, home: false, timeout_ms, input: inputOf(tables) }
    const chunks = host.shell.bytes(dumpArgv(user), { ...asSite({ user }, given), operation })
    return { tables, chunks, first: await chunks.next().catch(refuse) }
  })
  yield* wholeOf(begun)
}

interface Begun {
  tables: readonly string[]
  chunks: AsyncGenerator<Uint8Array, void>
  first: IteratorResult<Uint8Array, void>
}

async function* wholeOf({ tables, chunks, first }: Begun): AsyncGenerator<Uint8Array, void> {
  let end = ''
  try {
    for (let next = first; !next.done; next = await chunks.next().catch(refuse)) {
      end = (end + Buffer.from(next.value.subarray(-200)).toString('latin1')).slice(-200)
      yield next.value
    }
  } finally {
    await chunks.return()
  }
  if (tables.length > 0 && !END.test(end)) throw cutOff()
}
