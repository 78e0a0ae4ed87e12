import { useQueries, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changeProfile } from '#dashboard/web/api/account.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { meQuery, rightsQuery } from '#dashboard/web/api/session.ts'
import { siteQuery } from '#dashboard/web/api/sites.ts'
import { PartGrants } from '#dashboard/web/features/access/part-grants.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useCodeField } from '#dashboard/web/ui/code-field.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { CallerRights, User } from '#shared/kernel/api/auth.ts'
import { CLIENT_GRANTS, isClient, type PartGrantName, rightsOf } from '#shared/kernel/rights.ts'

/** Name and e-mail address of the user, who signs in with the address. */
export function ProfileCard() {
  const { data: user } = useQuery(meQuery)
  const { data: rights } = useQuery(rightsQuery)
  return (
    <Card title="Profile">
      {rights && (
        <div className="mb-4 flex flex-col gap-2">
          <p className="text-muted">{roleText(rights)}</p>
          {rights.parts.length > 0 && !isClient(rights) && <OwnParts parts={rights.parts} />}
        </div>
      )}
      {user && <ProfileForm user={user} />}
    </Card>
  )
}

function roleText(held: CallerRights): string {
  const { role, secrets, parts } = held
  if (isClient(held)) return 'Your agency gives you access to your sites.'
  if (role !== null) {
    const extra = secrets && !rightsOf([role]).includes('secrets')
    return `Your role in the whole fleet is ${role}${extra ? ', and you may see secrets' : ''}.${parts.length > 0 ? ' You also have access:' : ''}`
  }
  if (parts.length > 0) return 'You have access to parts of the fleet:'
  return 'Your account has no role: an owner of this dashboard can give you one.'
}

type OwnPart = CallerRights['parts'][number]

/** Returns what was granted, by the rights that it gives. */
function givenBy({ rights }: OwnPart): PartGrantName {
  if (rights.includes('admin')) return 'admin'
  if (rights.includes('operate')) return 'operator'
  if (rights.includes('read')) return 'viewer'
  if (rights.includes('secrets')) return 'secrets'
  return CLIENT_GRANTS.find((grant) => rights.includes(grant)) ?? 'client'
}

/** The grants on parts of the fleet, with the names of the servers and sites that the user may see. */
function OwnParts({ parts }: { parts: readonly OwnPart[] }) {
  const { data: fleet } = useQuery({
    ...fleetQuery,
    enabled: parts.some(({ server_id }) => server_id !== null),
  })
  const seen = parts.filter(({ rights }) => rights.includes('read'))
  const sites = useQueries({
    queries: seen.flatMap(({ site_id }) => (site_id === null ? [] : siteQuery(site_id))),
  })
  const domains = new Map(sites.flatMap(({ data }) => (data ? [[data.id, data.domain]] : [])))
  const names = new Map(fleet?.servers.map(({ id, name }) => [id, name]))
  const held = parts.map((part) => ({
    gives: givenBy(part),
    tag: part.tag,
    server_id: part.server_id,
    server: names.get(part.server_id ?? 0) ?? null,
    site_id: part.site_id,
    site: domains.get(part.site_id ?? 0) ?? null,
  }))
  return <PartGrants parts={held} />
}

const UNCHANGED = { name: undefined, email: undefined, password: '' }

interface Draft {
  name: string | undefined
  email: string | undefined
  password: string
}

function ProfileForm({ user }: { user: User }) {
  const [draft, setDraft] = useState<Draft>(UNCHANGED)
  const { name = user.name, email = user.email, password } = draft
  const isMoved = email.trim().toLowerCase() !== user.email
  const { code, isMissing, codeField, clear } = useCodeField({ isAsked: isMoved })
  const { form, refusals, reset } = useFormCall(
    () => changeProfile({ name, ...(isMoved && { email, password, ...code }) }),
    {
      fields: ['name', 'email', 'password', 'code'],
      changes: [meQuery.queryKey, ['activity']],
      done: 'The profile is saved',
      onSuccess: () => {
        setDraft(UNCHANGED)
        clear()
      },
      onClose: () => setDraft(UNCHANGED),
    },
  )
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const isChanged = name !== user.name || isMoved
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.onSubmit()
  }
  return (
    <form onSubmit={submit} noValidate className="flex max-w-sm flex-col gap-4">
      <TextField
        name="name"
        label="Name"
        error={refusals.name}
        maxLength={100}
        autoComplete="name"
        value={name}
        onChange={(text) => change({ name: text })}
      />
      <TextField
        name="email"
        label="E-mail address"
        hint="You sign in with it."
        error={refusals.email}
        type="email"
        autoComplete="email"
        value={email}
        onChange={(text) => change({ email: text })}
      />
      {isMoved && (
        <TextField
          name="password"
          label="Your password"
          hint="Another address needs your password."
          error={refusals.password}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(text) => change({ password: text })}
        />
      )}
      {codeField(refusals.code)}
      {form.error !== null && <Failure error={form.error} />}
      <div>
        <Button type="submit" kind="primary" busy={form.isBusy} disabled={!isChanged || isMissing}>
          Save profile
        </Button>
      </div>
    </form>
  )
}
