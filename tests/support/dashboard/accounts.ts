import { makePeopleOfAccounts } from '#dashboard/features/access/accounts/people.queries.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Role } from '#shared/kernel/rights.ts'
import { type Dashboard, makeDashboard } from './dashboard.ts'

export const NEW_PASSWORD = 'an own long password'

interface Colleague {
  person_id: number
  email: string
  /** The request headers of a session of the account. */
  headers: { cookie: string }
}

interface Invited {
  role?: Role | null
  secrets?: boolean
  parts?: readonly object[]
  groups?: readonly number[]
  email?: string
}

/** Lets writes wait for one another: each call has read the records before any has changed them. */
export class Meeting {
  #missing = 0
  #all = Promise.withResolvers<void>()

  /** Opens records whose writes take part. */
  readonly open = async (file: string): Promise<Database> => {
    const db = await openDatabase(`file:${file}`)
    const write: Database['write'] = async (work) => {
      await this.#arrive()
      return db.write(work)
    }
    return { ...db, write }
  }

  /** The next writes begin when all of them have been asked for. */
  gather(writes: number): void {
    this.#missing = writes
    this.#all = Promise.withResolvers<void>()
  }

  async #arrive(): Promise<void> {
    if (this.#missing === 0) return
    this.#missing -= 1
    if (this.#missing === 0) this.#all.resolve()
    await this.#all.promise
  }
}

/** A dashboard whose first account, an owner, has a person, as after its start. */
export async function startAccounts(options: Parameters<typeof makeDashboard>[0] = {}) {
  const dashboard = await makeDashboard(options)
  await makePeopleOfAccounts(dashboard.deps, timestamp(dashboard.deps.clock))
  return new Accounts(dashboard)
}

/** Calls about the accounts of a dashboard, by its first owner if not said otherwise. */
export class Accounts {
  readonly dashboard: Dashboard

  constructor(dashboard: Dashboard) {
    this.dashboard = dashboard
  }

  call: Dashboard['call'] = (...call) => this.dashboard.call(...call)

  async addPerson(name: string): Promise<number> {
    const { body } = await this.call('POST', '/api/people', { name })
    return body.person.id
  }

  /** The answer to an invitation, by default as an operator. */
  invite(person_id: number, { role = 'operator', email, ...given }: Invited = {}) {
    const body = { email: email ?? `person-${person_id}@example.com`, role, ...given }
    return this.call('POST', `/api/people/${person_id}/invitation`, body)
  }

  /** The token of a new invitation. */
  async token(person_id: number, invited: Invited = {}): Promise<string> {
    const { status, body } = await this.invite(person_id, invited)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.invitation.link.split('#')[1]
  }

  show = (token: string) => this.call('POST', '/api/invitations/show', { token }, OUTSIDE)

  accept(token: string, more: object = {}) {
    const body = { token, name: 'Anna', password: NEW_PASSWORD, ...more }
    return this.call('POST', '/api/invitations/accept', body, OUTSIDE)
  }

  /** The headers of a new session. */
  async logIn(email: string, password = NEW_PASSWORD): Promise<{ cookie: string }> {
    const answer = await this.dashboard.send(
      'POST',
      '/api/auth/login',
      { email, password },
      OUTSIDE,
    )
    const [line = ''] = answer.headers.getSetCookie()
    if (answer.status !== 200) throw new Error(await answer.text())
    return { cookie: line.split(';')[0] ?? '' }
  }

  /** Somebody who has accepted an invitation and logged in. */
  async colleague(name: string, invited: Invited = {}): Promise<Colleague> {
    const person_id = await this.addPerson(name)
    const { body } = await this.accept(await this.token(person_id, invited), { name })
    const { email } = body.account
    return { person_id, email, headers: await this.logIn(email) }
  }

  /** The person as everybody sees it. */
  async person(id: number) {
    const { body } = await this.call('GET', '/api/people')
    return body.people.find((person: { id: number }) => person.id === id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dashboard[Symbol.asyncDispose]()
  }
}

const OUTSIDE = { cookie: '' }
