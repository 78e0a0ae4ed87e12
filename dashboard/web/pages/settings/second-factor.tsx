import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changeFactorRule, secondFactorQuery } from '#dashboard/web/api/passkeys.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ReadOnly } from '#dashboard/web/ui/rights.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { FactorRule, SecondFactor } from '#shared/kernel/api/passkeys.ts'

const RULES = optionsOf<FactorRule>({
  nobody: 'Nobody',
  admins: 'Admins and owners',
  everybody: 'Everybody',
})

/** Shows which accounts need a second factor, which an owner changes. */
export function SecondFactorCard() {
  const { data, error, refetch } = useQuery(secondFactorQuery)
  return (
    <Card title="Second factor">
      <QueryState of={{ data, error, refetch }} rows={1} />
      {data && (
        <ReadOnly unless="accounts">
          <Rule of={data} />
        </ReadOnly>
      )}
    </Card>
  )
}

function Rule({ of: { required_for, present } }: { of: SecondFactor }) {
  const [draft, setDraft] = useState<FactorRule>()
  const rule = draft ?? required_for
  const { form, reset } = useFormCall(() => changeFactorRule(rule), {
    changes: [secondFactorQuery.queryKey, ['activity']],
    done: 'Second factor is saved',
    onDone: () => setDraft(undefined),
    onClose: () => setDraft(undefined),
  })
  const change = (next: FactorRule) => {
    reset()
    setDraft(next === required_for ? undefined : next)
  }
  const isBlocked = rule !== 'nobody' && !present
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        form.onSubmit()
      }}
    >
      <div className="max-w-md">
        <SelectField
          name="required_for"
          label="Accounts that need a second factor"
          hint="An authenticator app or a passkey. Accounts without one must set it up before they can do anything else; their API tokens are refused until then."
          value={rule}
          options={RULES}
          onChange={change}
        />
      </div>
      {draft !== undefined && isBlocked && (
        <Notice
          kind="warn"
          title="Your own account has no second factor"
          actions={<ButtonLink to="/account">Open Account</ButtonLink>}
        >
          Set one up first: otherwise you would be the first who is locked out.
        </Notice>
      )}
      {form.error !== null && <Failure error={form.error} />}
      {draft !== undefined && (
        <div className="flex gap-2">
          <Button type="submit" kind="primary" busy={form.isBusy} disabled={isBlocked}>
            Save
          </Button>
          <Button kind="quiet" onClick={() => change(required_for)}>
            Cancel
          </Button>
        </div>
      )}
    </form>
  )
}
