import { expect, test } from 'bun:test'
import { MINUTES } from '#tests/support/system/world.ts'
import { ORIGIN, type Owner } from './owner.ts'

/** The request as the page received it, and whether the cache answered. */
async function echoed(owner: Owner, path: string, options: string[] = []): Promise<string[]> {
  const { body, headers } = await owner.visit(path, options)
  const said = /Asked by ([^<]*)</.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  return [said, /^x-cache: (\w+)/m.exec(headers)?.[1] ?? '']
}

export function countsClicks(owner: () => Owner): void {
  const plain = 'GET /echo/ ()'

  test(
    'advertising arguments cost no PHP, and are in no page of other visitors',
    async () => {
      const [said, first] = await echoed(owner(), '/echo/?utm_source=first&fbclid=secret-1')
      expect(String(said)).toBe(plain)
      expect(['miss', 'expired']).toContain(String(first))
      for (const query of ['?gclid=2', '?mc_eid=3&utm_medium=mail&_ga=4', '?', '']) {
        expect([query, await echoed(owner(), `/echo/${query}`)]).toEqual([query, [plain, 'hit']])
      }
      const other = ['GET /echo/?utm_source=x&colour=red (utm_source=x&colour=red)', 'bypass']
      expect(await echoed(owner(), '/echo/?utm_source=x&colour=red')).toEqual(other)
      const sent = await echoed(owner(), '/echo/?utm_source=x', ['--data', 'a=1'])
      expect(sent).toEqual(['POST /echo/?utm_source=x (utm_source=x)', ''])
      const known = await echoed(owner(), '/echo/?fbclid=x', ['--cookie', 'PHPSESSID=none'])
      expect(known).toEqual(['GET /echo/?fbclid=x (fbclid=x)', 'bypass'])

      const visitor = await (await owner().person()).newPage()
      await visitor.goto('/echo/?utm_source=news&fbclid=secret-5')
      const seen = await visitor.evaluate(() => location.search)
      expect([visitor.url(), seen]).toEqual([
        `${ORIGIN}/echo/?utm_source=news&fbclid=secret-5`,
        '?utm_source=news&fbclid=secret-5',
      ])
      expect(await visitor.content()).toContain(plain)
      await visitor.context().close()
    },
    5 * MINUTES,
  )
}
