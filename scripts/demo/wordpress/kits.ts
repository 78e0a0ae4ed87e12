import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { CORES, NEWEST_CORE, type Offer, PLUGINS, THEMES } from './catalogue.ts'
import { type Kit, makeKit, newest } from './kit.ts'

const KITS = 48

const newestOf = (offer: Offer) => ({ offer, version: newest(offer) })

/** A newly installed WordPress. */
export const freshKit: Kit = makeKit({
  core: NEWEST_CORE,
  plugins: PLUGINS.slice(0, 2).map(newestOf),
  themes: THEMES.slice(0, 2).map(newestOf),
  active: [],
  theme: 'twentytwentyfive',
  informed: true,
})

/** Returns the kits of a fleet's sites: most are up to date, as in a maintained fleet. */
export function makeKits(dice: Dice): [Kit, ...Kit[]] {
  const kits = Array.from({ length: KITS - 1 }, (_, at) => makeKit(partsOf(dice, at)))
  return [makeKit(partsOf(dice, 0)), ...kits]
}

function partsOf(dice: Dice, at: number): Parameters<typeof makeKit>[0] {
  const current = dice.chance(0.55)
  const core = current || dice.chance(0.5) ? NEWEST_CORE : dice.pick(CORES)
  const plugins = PLUGINS.filter((_, place) => place < 2 || dice.chance(0.4)).map((offer) =>
    versionOf(dice, offer, current),
  )
  const themes = THEMES.filter((_, place) => place === 0 || dice.chance(0.3)).map((offer) =>
    versionOf(dice, offer, current || dice.chance(0.8)),
  )
  return {
    core,
    plugins,
    themes,
    active: plugins.slice(2).map(({ offer }) => offer.file),
    theme: themes.at(-1)?.offer.file ?? 'twentytwentyfive',
    informed: at % 16 !== 15,
  }
}

function versionOf(dice: Dice, offer: Offer, current: boolean) {
  if (current || dice.chance(0.6)) return newestOf(offer)
  return { offer, version: dice.pick(offer.versions) }
}
