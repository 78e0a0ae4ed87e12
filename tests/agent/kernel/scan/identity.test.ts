import { expect, test } from 'bun:test'
import { chownSync, lchownSync, mkdirSync, symlinkSync } from 'node:fs'
import { identityOf, ownerOf } from '#agent/kernel/scan/identity.ts'
import { eachFolder } from '#tests/support/each-folder.ts'
import { lacking, unless } from '#tests/support/skip.ts'

const NOBODY = { name: 'nobody', uid: 65534, gid: 65534 }
const TENANT = 4001
const NEIGHBOUR = 4002

let root = ''
eachFolder((path) => {
  root = path
})

function folder(path: string, uid: number): void {
  mkdirSync(`${root}/${path}`)
  chownSync(`${root}/${path}`, uid, uid)
}

function link(target: string, path: string, uid: number): void {
  symlinkSync(target, `${root}/${path}`)
  lchownSync(`${root}/${path}`, uid, uid)
}

unless(lacking({ root: true })).describe('the owner of a docroot', () => {
  test("is the owner of the first folder that is not root's", () => {
    folder('home', 0)
    folder('home/shop', TENANT)
    folder('home/shop/public', NEIGHBOUR)

    expect(ownerOf(`${root}/home/shop/public`)).toBe(TENANT)
    expect(ownerOf(`${root}/home/shop`)).toBe(TENANT)
    expect(ownerOf(`${root}/home`)).toBe(0)
    expect(ownerOf(`${root}/none/public`)).toBeUndefined()
  })

  test('is the tenant even if a link of the tenant points to a neighbour', () => {
    folder('shop', TENANT)
    folder('neighbour', NEIGHBOUR)
    link(`${root}/neighbour`, 'shop/public', TENANT)
    link(`${root}/neighbour`, 'shop/by-root', 0)

    expect(ownerOf(`${root}/shop/public`)).toBe(TENANT)
    expect(ownerOf(`${root}/shop/by-root/wp-content`)).toBe(TENANT)
  })

  test('follows links that root made in folders of root', () => {
    folder('shop', TENANT)
    link('shop', 'current', 0)
    link(`${root}/current`, 'public', 0)
    link('round', 'round', 0)

    expect(ownerOf(`${root}/public/wp-content`)).toBe(TENANT)
    expect(ownerOf(`${root}/round/public`)).toBeUndefined()
  })
})

test('a site is never read as root or a system user', () => {
  const read = (user: string) => identityOf({ docroot: '/none', user })

  expect(['root', 'daemon', 'nobody', 'no-such-user', ''].map(read)).toEqual(
    Array.from({ length: 5 }, () => NOBODY),
  )
  expect(identityOf({ docroot: '/etc', php_user: 'root' })).toEqual(read('www-data'))
  expect(identityOf({ docroot: '/etc', php_user: 'daemon' })).toEqual(read('www-data'))
})
