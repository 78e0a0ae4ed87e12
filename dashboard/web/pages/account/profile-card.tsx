import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changeProfile } from '#dashboard/web/api/account.ts'
import { meQuery, rightsQuery } from '#dashboard/web/api/session.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { CallerRights, User } from '#shared/kernel/api/auth.ts'

/** Name and e-mail address of the user, who signs in with the address. */
export function ProfileCard() {
  const { data: user } = useQuery(meQuery)
  const { data: rights } = useQuery(rightsQuery)
  return (
    <Card title="Profile">
      {rights && <p className="mb-4 text-muted">{roleText(rights)}</p>}
      {user && <ProfileForm user={user} />}
    </Card>
  )
}

function roleText({ role, secrets }: CallerRights): string {
  if (role === null) return 'Your account has no role: an owner of this dashboard can give you one.'
  return `Your role is ${role}${secrets ? ', and you may see secrets' : ''}.`
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
  const { form, refusals, reset } = useFormCall(
    () => changeProfile({ name, ...(isMoved && { email, password }) }),
    {
      fields: ['name', 'email', 'password'],
      changes: [meQuery.queryKey, ['activity']],
      done: 'The profile is saved',
      onSuccess: () => setDraft(UNCHANGED),
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
      {form.error !== null && <Failure error={form.error} />}
      <div>
        <Button type="submit" kind="primary" busy={form.isBusy} disabled={!isChanged}>
          Save profile
        </Button>
      </div>
    </form>
  )
}
