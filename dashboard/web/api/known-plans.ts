const KEY = 'plans'
const MOST = 30

type Plans = [operation_id: string, titles: string[]][]

/**
 * Keeps the titles of the steps that were planned before an operation began, so that its page shows
 * what is still to come: events tell of a step only when it begins. Kept in this browser.
 */
export function rememberPlan(
  operation_id: string,
  plan: { steps: readonly { title: string }[] },
): void {
  const titles = plan.steps.map(({ title }) => title)
  const others = read().filter(([id]) => id !== operation_id)
  write([[operation_id, titles] as Plans[number], ...others].slice(0, MOST))
}

/** Undefined: it is not known what is to come. */
export function knownPlan(operation_id: string): readonly string[] | undefined {
  return read().find(([id]) => id === operation_id)?.[1]
}

function read(): Plans {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found.filter(isPlan) : []
  } catch {
    return []
  }
}

function isPlan(found: unknown): found is Plans[number] {
  return Array.isArray(found) && typeof found[0] === 'string' && Array.isArray(found[1])
}

/** Without room for it the steps are shown as they begin. */
function write(plans: Plans): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(plans))
  } catch {
    localStorage.removeItem(KEY)
  }
}
