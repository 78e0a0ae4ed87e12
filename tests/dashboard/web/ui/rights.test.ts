import { expect, test } from 'bun:test'
import { type HeldRights, hasRight, type Where } from '#dashboard/web/ui/rights.tsx'
import { type PartGrantName, rightsOf } from '#shared/kernel/rights.ts'

const NOWHERE = { tag: null, server_id: null, site_id: null }
const TAGS = { 1: ['shop', 'eu'], 2: ['eu'] }

const on = (gives: PartGrantName, place: object): HeldRights => ({
  rights: rightsOf([]),
  parts: [{ ...NOWHERE, ...place, rights: rightsOf([gives]) }],
  tags: TAGS,
})

const PLACES: Record<string, Where> = {
  fleet: 'fleet',
  anywhere: 'anywhere',
  servers: 'servers',
  'server 1': { server_id: 1 },
  'site 7 on it': { server_id: 1, site_id: 7 },
  'site 8 on it': { server_id: 1, site_id: 8 },
  'server 2': { server_id: 2 },
  'a server that is not known': { server_id: 9 },
}

/** Returns the names of the places where a right is given. */
const whereIn = (held: HeldRights) =>
  Object.keys(PLACES).filter((name) => hasRight(held, 'operate', PLACES[name] ?? 'fleet'))

const SERVER_1 = ['anywhere', 'servers', 'server 1', 'site 7 on it', 'site 8 on it']

test.each<[string, HeldRights, string[]]>([
  ['a role', { rights: rightsOf(['operator']), parts: [], tags: TAGS }, Object.keys(PLACES)],
  ['nothing', { rights: rightsOf([]), parts: [], tags: TAGS }, []],
  ['less', on('viewer', { server_id: 1 }), []],
  ['secrets alone', on('secrets', { server_id: 1 }), []],
  ['a site', on('operator', { site_id: 7 }), ['anywhere', 'site 7 on it']],
  ['a server', on('admin', { server_id: 1 }), SERVER_1],
  ['a tag', on('operator', { tag: 'shop' }), SERVER_1],
  ['the tag of two', on('operator', { tag: 'eu' }), [...SERVER_1, 'server 2']],
  ['the tag of none', on('operator', { tag: 'sho' }), ['anywhere', 'servers']],
])('a grant of %s gives the right to operate where it is', (_, held, places) => {
  expect(whereIn(held)).toEqual(places)
})

test('calls about the own account need no grant', () => {
  expect(hasRight({ rights: rightsOf([]), parts: [], tags: TAGS }, 'own', 'fleet')).toBe(true)
})
