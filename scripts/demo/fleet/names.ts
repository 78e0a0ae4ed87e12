import type { Dice } from '#agent/kernel/host/simulated/dice.ts'

const FIRST =
  'amber anchor apple aspen autumn basil beacon birch blue bramble bright brook cedar cherry clover coast copper coral corner cotton crane crystal daisy dawn delta ember fern field fig forest garden ginger golden granite green grove harbour hazel hill honey indigo iris ivory jade juniper lake lantern larch lemon lilac lime linden lotus lunar maple marble meadow mill mint moss north oak ocean olive opal orchard oyster pearl pebble pepper pine plum poppy quartz rain red reed ridge river robin rose ruby rye saffron sage salt sand silver sky slate snow spruce star stone storm summer sun thistle thyme tide timber topaz valley velvet violet walnut west willow wind winter wren'.split(
    ' ',
  )
const SECOND =
  'academy antiques atelier bakery barbers bicycles bikes books brewery bulbs cafe candles carpets ceramics cheese chocolate cinema clinic clocks clothing coffee crafts cycles dairy dance deli dental design diner drums events fabrics farm films fitness florist flowers food frames furniture gallery games gardens gifts glass guitars hats herbs hotel housing interiors jewellery kayaks kitchen knives lamps lighting linen maps market media music nursery optics outdoor paints paper pets photos pizza plants podcast pottery press prints records roastery sailing school shoes skates soap spa spices stationery studio surf tea theatre tiles tools tours toys travel vets vineyard violins watches wine wool yoga'.split(
    ' ',
  )
const ENDS = ['.example', '.example', '.example', '.example.com', '.example.org', '.example.net']
const SUBS = ['shop', 'blog', 'staging', 'news', 'docs', 'events', 'kb', 'club']
const REGIONS = ['fra', 'ams', 'hel', 'nyc'] as const

/** Makes names that are all different, with or without `www.`. */
export class Names {
  readonly #dice: Dice
  readonly #taken = new Set<string>()

  constructor(dice: Dice) {
    this.#dice = dice
  }

  domain(): string {
    let domain = this.#candidate()
    while (this.#taken.has(domain)) domain = this.#candidate()
    this.#taken.add(domain)
    return domain
  }

  #candidate(): string {
    const dice = this.#dice
    const word = (words: readonly string[]) => words[dice.below(words.length)] ?? ''
    const name = `${word(FIRST)}-${word(SECOND)}${word(ENDS)}`
    return dice.chance(0.12) ? `${word(SUBS)}.${name}` : name
  }
}

/** Returns the dashboard's name for the user of a site. */
export function userOf(domain: string, dice: Dice): string {
  const slug = (domain.split('.')[0] ?? '').replace(/[^a-z0-9]/g, '').slice(0, 20)
  return slug + dice.text('abcdefghijklmnopqrstuvwxyz0123456789', 6)
}

/** Returns a name such as `fra-web-01`, and its DNS name. */
export function serverNames(at: number): { name: string; hostname: string; region: string } {
  const region = REGIONS[at % REGIONS.length] ?? 'fra'
  const number = String(Math.floor(at / REGIONS.length) + 1).padStart(2, '0')
  return {
    name: `${region}-web-${number}`,
    hostname: `web-${number}.${region}.example.net`,
    region,
  }
}
