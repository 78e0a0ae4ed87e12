import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { withSliceInUse } from '#agent/kernel/sandbox/slice.ts'
import { DUMP_END, dumpArgv, inputOf, refuseDumpFailure, truncatedDump } from './dump.ts'
import { tablesInUse } from './tables.ts'
import { beginUnlimited } from './unlimited.ts'

/**
 * Yields the bytes of a dump for a slow reader: once it has begun, it does not wait for other
 * programs of the site, nor they for it. Throws if it was cut off before its end, also after its
 * last bytes.
 */
export async function* dumpBytes(
  host: Host,
  user: string,
  limits: Required<Pick<RunOptions, 'operation' | 'timeout_ms'>>,
): AsyncGenerator<Uint8Array, void> {
  const { operation, timeout_ms } = limits
  const end = beginUnlimited(host, user)
  try {
    const begun = await withSliceInUse(host, user, async () => {
      const tables = await tablesInUse(host, user)
      const given = { network: false, home: false, timeout_ms, input: inputOf(tables) }
      const chunks = host.shell.bytes(dumpArgv(user), { ...asSite({ user }, given), operation })
      return { tables, chunks, first: await chunks.next().catch(refuseDumpFailure) }
    })
    yield* wholeOf(begun)
  } finally {
    end()
  }
}

interface StartedDump {
  tables: readonly string[]
  chunks: AsyncGenerator<Uint8Array, void>
  first: IteratorResult<Uint8Array, void>
}

async function* wholeOf({ tables, chunks, first }: StartedDump): AsyncGenerator<Uint8Array, void> {
  let end = ''
  try {
    for (let next = first; !next.done; next = await chunks.next().catch(refuseDumpFailure)) {
      end = (end + Buffer.from(next.value.subarray(-200)).toString('latin1')).slice(-200)
      yield next.value
    }
  } finally {
    await chunks.return()
  }
  if (tables.length > 0 && !DUMP_END.test(end)) throw truncatedDump()
}
