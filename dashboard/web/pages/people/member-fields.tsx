import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleQuery } from '#dashboard/web/api/access.ts'
import { serviceAccountsQuery } from '#dashboard/web/api/service-accounts.ts'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Input } from '#dashboard/web/ui/field.tsx'
import { Mistake } from '#dashboard/web/ui/mistake.tsx'

interface Account {
  user_id: number
  name: string
  about: string
}

/** Lists the accounts that can be members: those of people, then those of the fleet. */
function useAccounts(): Account[] {
  const { data: people = [] } = useQuery(peopleQuery)
  const { data: services = [] } = useQuery(serviceAccountsQuery)
  const ofPeople = people.flatMap(({ name, account }) => {
    const user_id = account?.user_id ?? null
    return user_id === null ? [] : [{ user_id, name, about: account?.email ?? '' }]
  })
  const ofFleet = services.map(({ id, name }) => ({ user_id: id, name, about: 'Service account' }))
  return [...ofPeople, ...ofFleet]
}

/** The number of accounts from which on there is a search. */
const MANY = 8

interface MemberFieldsProps {
  chosen: readonly number[]
  refusal: string | undefined
  onChange: (chosen: readonly number[]) => void
}

/** The choice of the accounts that are in a group. */
export function MemberFields({ chosen, refusal, onChange }: MemberFieldsProps) {
  const [text, setText] = useState('')
  const all = useAccounts()
  const asked = text.trim().toLowerCase()
  const shown = all.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(asked))
  const toggle = (user_id: number, isIn: boolean) =>
    onChange(isIn ? [...chosen, user_id] : chosen.filter((each) => each !== user_id))
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1.5 font-medium">Members</legend>
      {all.length > MANY && (
        <Input
          type="search"
          aria-label="Find an account"
          placeholder="Find an account"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <ul className="flex max-h-64 flex-col gap-2 overflow-y-auto">
        {shown.map(({ user_id, name, about }) => (
          <li key={user_id}>
            <CheckField
              label={name}
              about={about}
              checked={chosen.includes(user_id)}
              onChange={(isIn) => toggle(user_id, isIn)}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="text-xs text-muted">No account matches.</p>}
      <Mistake of={refusal} />
    </fieldset>
  )
}
