import type { KnownVersions } from '#dashboard/kernel/db/reports-schema.ts'
import type { Extension, Inventory } from '#shared/kernel/inventory.ts'
import type { UpdateKind } from '#shared/reports/api/report.ts'

export interface Versions {
  core: string
  plugins: KnownVersions
  themes: KnownVersions
}

export interface VersionChange {
  kind: UpdateKind
  name: string
  from: string
  to: string
}

/** The maximum of changes of one comparison, since a site decides how many plugins it reports. */
const MAX_CHANGES = 500
const MAX_NAME = 200

/** Returns the versions of an inventory; `core` is newer than its scan when a sync has read it. */
export const versionsOf = (core: string, { plugins, themes }: Inventory): Versions => ({
  core,
  plugins: bySlug(plugins),
  themes: bySlug(themes),
})

const bySlug = (extensions: readonly Extension[]): KnownVersions =>
  Object.fromEntries(extensions.map(({ slug, version }) => [slug, version]))

/** Lists the versions that differ; what was added or removed is no update. */
export function changesBetween(
  before: Versions,
  core: string,
  { plugins, themes }: Inventory,
): VersionChange[] {
  const differs = (from: string | undefined, to: string): from is string =>
    from !== undefined && from !== '' && to !== '' && from !== to
  const ofExtensions = (kind: UpdateKind, known: KnownVersions, now: readonly Extension[]) =>
    now.flatMap(({ slug, name, version: to }) => {
      const from = Object.hasOwn(known, slug) ? known[slug] : undefined
      return differs(from, to) ? [{ kind, name: (name || slug).slice(0, MAX_NAME), from, to }] : []
    })
  return [
    ...(differs(before.core, core)
      ? [{ kind: 'core' as const, name: 'WordPress', from: before.core, to: core }]
      : []),
    ...ofExtensions('plugin', before.plugins, plugins),
    ...ofExtensions('theme', before.themes, themes),
  ].slice(0, MAX_CHANGES)
}

/**
 * Returns whether a version is newer than another one: by its numbers, of which a missing one is 0.
 * A suffix such as `-beta1` makes a version older than the same one without it.
 */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [partsOf(version), partsOf(than)]
  for (let place = 0; place < Math.max(one.numbers.length, other.numbers.length); place += 1) {
    const difference = (one.numbers[place] ?? 0) - (other.numbers[place] ?? 0)
    if (difference !== 0) return difference > 0
  }
  if (one.suffix === '' || other.suffix === '') return one.suffix === '' && other.suffix !== ''
  return one.suffix.localeCompare(other.suffix, 'en', { numeric: true }) > 0
}

function partsOf(version: string): { numbers: number[]; suffix: string } {
  const [numbers = ''] = /^v?[\d.]*/.exec(version) ?? []
  return {
    numbers: numbers.replace('v', '').split('.').map(Number),
    suffix: version.slice(numbers.length),
  }
}
