import { test } from 'bun:test'

type Body<World, Row extends readonly unknown[] = []> = (world: World, ...row: Row) => unknown
type Titled<World, Row extends readonly unknown[] = []> = (
  title: string,
  body: Body<World, Row>,
  limit_ms?: number,
) => void

interface FixtureTest<World> extends Titled<World> {
  each<Row extends readonly [unknown, ...unknown[]]>(rows: readonly Row[]): Titled<World, Row>
  each<Row extends readonly unknown[]>(rows: readonly Row[]): Titled<World, Row>
  each<const Value>(rows: readonly Value[]): Titled<World, [Value]>
}

/**
 * A `test` whose function gets a value of its own from `make`, which ends with the test. Nothing is
 * made for a function without parameters.
 */
export function testWith<World extends AsyncDisposable>(
  make: () => World | Promise<World>,
): FixtureTest<World> {
  const within =
    <Row extends readonly unknown[]>(body: Body<World, Row>) =>
    async (...row: Row): Promise<void> => {
      await using world = await make()
      await body(world, ...row)
    }
  const run: Titled<World> = (title, body, limit_ms) =>
    test(title, body.length === 0 ? (body as () => Promise<void>) : within(body), limit_ms)
  const each = (rows: readonly unknown[]) => {
    const titled: Titled<World, unknown[]> = (title, body, limit_ms) =>
      test.each(rows)(title, within(body), limit_ms)
    return titled
  }
  return Object.assign(run, { each }) as FixtureTest<World>
}
