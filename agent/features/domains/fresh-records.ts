import type { Host, Resolved } from '#agent/kernel/host/ports.ts'
import { ServiceError } from '#shared/kernel/errors.ts'

/**
 * Of the reasons that DNS records gave, those whose records are the same at the name servers of the
 * zones: a resolver may have kept former ones, and an authority asks past such caches. It also decides
 * where those cannot be asked. An authority in the own network has the resolver of that network.
 */
export async function confirmed(
  { net, settings }: Host,
  records: ReadonlyMap<string, Resolved>,
  reasons: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  if (reasons.size === 0 || settings.acme_ca_file !== undefined) return reasons
  const names = [...reasons.keys()]
  const fresh = await net.resolve(names, { fresh: true }).catch(unknown)
  const isSame = (name: string, at: number) => {
    const [kept, found] = [records.get(name), fresh[at]]
    return (
      kept != null && found != null && new Set(kept).symmetricDifference(new Set(found)).size === 0
    )
  }
  const same = names.filter(isSame)
  return new Map([...reasons].filter(([name]) => same.includes(name)))
}

/** Errors that end the operation are passed on. */
function unknown(error: unknown): Resolved[] {
  if (error instanceof ServiceError) throw error
  return []
}
