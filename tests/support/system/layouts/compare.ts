import { isDeepStrictEqual } from 'node:util'
import type { FoundSite, UnnamedSite } from '#shared/kernel/found-site.ts'
import type { Expected, LayoutOnDisk } from './layout.ts'

export type Reported = Partial<FoundSite> & UnnamedSite

/** The reported sites of a layout: those that answer to one of its names. */
export function reportedOf(layout: LayoutOnDisk, reported: readonly Reported[]): Reported[] {
  const names = new Set(layout.sites.flatMap((site) => keysOf(site)))
  return reported.filter((site) => keysOf(site).some((key) => names.has(key)))
}

type Named = { [Key in 'domain' | 'docroot']?: string | undefined } & {
  names?: string[] | undefined
}

function keysOf({ domain, names, docroot }: Named): string[] {
  // Several servers may have a site for any name: their folders tell them apart.
  if (names?.length === 1 && names[0] === '_') return [`_ ${docroot}`]
  return [...(domain ? [domain] : []), ...(names ?? []).filter((name) => name !== '_')]
}

/** Differences from the expectation, one line each: missing and extra ones. */
export function differences(layout: LayoutOnDisk, reported: readonly Reported[]): string[] {
  const found = reportedOf(layout, reported)
  const wrong: string[] = []
  for (const site of layout.sites) {
    const label = site.domain || site.names.join(' ')
    const same = found.filter((each) =>
      site.domain
        ? each.domain === site.domain
        : !each.domain && keysOf(each).join() === keysOf(site).join(),
    )
    const [one, ...more] = same
    if (!one || more.length > 0) wrong.push(`${label}: found ${same.length} times`)
    else wrong.push(...fieldsThatDiffer(label, site, one))
  }
  const labels = new Set(layout.sites.map((site) => site.domain || keysOf(site).join()))
  for (const site of found) {
    if (!labels.has(site.domain || keysOf(site).join()))
      wrong.push(`${site.domain ?? site.names}: is no site, but was found at ${site.docroot}`)
  }
  return wrong
}

function fieldsThatDiffer(label: string, site: Expected, found: Reported): string[] {
  const { unknown = {}, closed = false, names, ...facts } = site
  const wanted: Record<string, unknown> = { ...facts, unknown, closed, names: [...names].sort() }
  // The databases of the layouts' WordPress do not run.
  const { updates: _, ...reasons } = found.unknown ?? {}
  const names_found = [...(found.names ?? [])].sort()
  const got: Record<string, unknown> = { ...found, unknown: reasons, names: names_found }
  return Object.entries(wanted)
    .filter(([key]) => key !== 'domain')
    .filter(([key, value]) => !isDeepStrictEqual(value, got[key]))
    .map(
      ([key, value]) =>
        `${label}: ${key} is ${JSON.stringify(got[key])}, not ${JSON.stringify(value)}`,
    )
}
