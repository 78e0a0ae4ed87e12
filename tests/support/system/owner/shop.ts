import { expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { MINUTES } from '#tests/support/system/world.ts'
import type { Owner } from './owner.ts'

const CUSTOMERS = ['Adalovelace', 'Gracehopper'] as const
const ROUNDS = 2
/** Pages that show the visitor's name, before and after the order. */
const PAGES = ['/', '/lamp/', '/cart/', '/warenkorb/', '/checkout/', '/angebot/', '/my-account/']

/** Faults of a page that `name` sees: another's data, no `name`, or a cached page. */
async function problemsOf(page: Page, path: string, name: string): Promise<string[]> {
  const answer = await page.goto(path, { waitUntil: 'domcontentloaded' })
  const text = (await page.locator('body').textContent()) ?? ''
  const cache = (await answer?.headerValue('x-cache')) ?? ''
  const others = CUSTOMERS.filter((other) => other !== name && text.includes(other))
  return [
    ...others.map((other) => `${name} sees ${other} on ${path}`),
    ...(text.includes(name) ? [] : [`${name} is unknown on ${path}`]),
    ...(cache === 'BYPASS' ? [] : [`${path} for ${name} was ${cache}`]),
  ]
}

async function rounds(page: Page, paths: readonly string[], name: string): Promise<string[]> {
  const problems: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of paths) problems.push(...(await problemsOf(page, path, name)))
  }
  return problems
}

/** From the lamp to the receipt. */
async function buys(context: BrowserContext, name: string): Promise<string[]> {
  const page = await context.newPage()
  await page.goto('/lamp/')
  await page.getByLabel('shop_add').fill(name)
  await page.getByRole('button', { name: 'Add to basket' }).click()
  await page.getByText(`In the basket of ${name}`).waitFor()
  await page.goto('/angebot/')
  await page.getByLabel('shop_quote').fill(name)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText(`Offer for ${name}`).waitFor()
  const before = await rounds(page, PAGES, name)
  await page.goto('/checkout/')
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.getByText(`Thanks for the order of ${name}`).waitFor()
  const after = await rounds(page, ['/checkout/order-received/7/', ...PAGES], name)
  return [...before, ...after]
}

/** Pages that fail for a visitor, or that show a customer's name. */
async function looksOn(owner: Owner, until: Promise<unknown>): Promise<string[]> {
  const problems: string[] = []
  let over = false
  const stop = () => {
    over = true
  }
  until.then(stop, stop)
  while (!over) {
    for (const path of PAGES) {
      const { status, body } = await owner.visit(path)
      const seen = CUSTOMERS.filter((name) => body.includes(name))
      if (status !== 200 || seen.length > 0) problems.push(`${status} ${path}: ${seen.join()}`)
    }
  }
  return problems
}

export function sells(owner: () => Owner): void {
  test(
    'two customers at once see their own basket, checkout and account, and visitors see neither',
    async () => {
      const contexts = await Promise.all(CUSTOMERS.map(() => owner().person()))
      const buying = Promise.all(
        CUSTOMERS.map((name, at) => buys(contexts[at] as BrowserContext, name)),
      )
      const looking = looksOn(owner(), buying)

      expect((await buying).flat()).toEqual([])
      expect(await looking).toEqual([])

      const cacheOf = async (path: string) =>
        /^x-cache: (\w+)/m.exec((await owner().visit(path)).headers)?.[1] ?? ''
      for (const path of ['/cart/', '/checkout/', '/my-account/', '/checkout/order-received/7/']) {
        expect([path, await cacheOf(path), await cacheOf(path)]).toEqual([path, 'bypass', 'bypass'])
      }
      for (const path of ['/warenkorb/', '/angebot/']) {
        expect([path, await cacheOf(path), await cacheOf(path)]).toEqual([path, 'miss', 'miss'])
      }
      await cacheOf('/lamp/')
      expect(await cacheOf('/lamp/')).toBe('hit')
      await Promise.all(contexts.map((context) => context.close()))
    },
    5 * MINUTES,
  )
}
