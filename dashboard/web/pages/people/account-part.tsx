import { useQueryClient } from '@tanstack/react-query'
import { Activity, Ban, Check, Pencil, RefreshCw, Trash2, UserPlus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { peopleQuery } from '#dashboard/web/api/access.ts'
import {
  activateAccount,
  changeAccount,
  deactivateAccount,
  removeAccount,
  revokeInvitation,
} from '#dashboard/web/api/accounts.ts'
import { policyQuery } from '#dashboard/web/api/policy.ts'
import { PartGrants } from '#dashboard/web/features/access/part-grants.tsx'
import { ROLE_TEXTS } from '#dashboard/web/labels/role.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { Person } from '#shared/access/api/access.ts'
import type { PersonAccount } from '#shared/access/api/accounts.ts'
import { GroupList } from './group-rights.tsx'
import { Invite } from './invite.tsx'
import {
  hasExtraSecrets,
  RightsFields,
  rightsDraftOf,
  rightsFieldNames,
  rightsInput,
} from './rights-fields.tsx'

interface PartProps {
  person: Person
}
interface AccountProps extends PartProps {
  account: PersonAccount
}

function roleName({ role, parts, groups }: PersonAccount): string {
  if (role !== null) return ROLE_TEXTS[role].name
  if (groups.length > 0) return 'by groups'
  return parts.length > 0 ? 'parts of the fleet' : 'no role'
}

const TONES: Record<PersonAccount['state'], Tone> = {
  invited: 'warn',
  active: 'good',
  deactivated: 'bad',
}

/** The role and the state of the account, beside the name of the person. */
export function AccountBadges({ account }: Pick<AccountProps, 'account'>) {
  return (
    <>
      <Badge>{roleName(account)}</Badge>
      <Badge tone={TONES[account.state]}>{account.state}</Badge>
    </>
  )
}

/** Whether the person can log in to this dashboard, and what they may do there. */
export function AccountPart({ person }: PartProps) {
  const { account } = person
  return (
    <div className="min-w-0 lg:col-span-2">
      <h3 className="mb-1.5 text-xs text-muted">Account</h3>
      {account === null && <NoAccount person={person} />}
      {account?.state === 'invited' && <Invited person={person} account={account} />}
      {account && account.state !== 'invited' && <Known person={person} account={account} />}
    </div>
  )
}

function NoAccount({ person }: PartProps) {
  const { dialog, show } = useDialog()
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p>{person.name} cannot log in to this dashboard.</p>
      <Button
        needs="accounts"
        icon={<UserPlus />}
        aria-label={`Invite ${person.name}`}
        onClick={show}
      >
        Invite
      </Button>
      <Invite {...dialog} person={person} />
    </div>
  )
}

function Invited({ person, account }: AccountProps) {
  const renewing = useDialog()
  const isOver = Date.parse(account.invited_until ?? '') <= useNow()
  return (
    <div className="flex flex-col gap-3">
      <AccountFacts account={account}>
        {{
          Invitation: (
            <>
              {isOver ? 'ended ' : 'ends '}
              <Time at={account.invited_until} />
              {account.invited_by && `, sent by ${account.invited_by}`}
            </>
          ),
        }}
      </AccountFacts>
      <div className="flex flex-wrap gap-2">
        <Button needs="accounts" icon={<RefreshCw />} onClick={renewing.show}>
          Renew invitation
        </Button>
        <Ask
          person={person}
          icon={<Trash2 />}
          label="Revoke invitation"
          title={`Revoke the invitation of ${person.name}?`}
          call={revokeInvitation}
          isDestructive
        >
          Its link stops working. You can invite {person.name} again.
        </Ask>
      </div>
      <Invite {...renewing.dialog} person={person} />
    </div>
  )
}

function Known({ person, account }: AccountProps) {
  const changing = useDialog()
  const { name } = person
  return (
    <div className="flex flex-col gap-3">
      <AccountFacts account={account}>
        {{ 'Last login': <Time at={account.last_login_at} none="never" /> }}
      </AccountFacts>
      <div className="flex flex-wrap gap-2">
        <Button
          needs="accounts"
          icon={<Pencil />}
          aria-label={`Change rights of ${name}`}
          onClick={changing.show}
        >
          Change rights
        </Button>
        {account.state === 'active' ? (
          <Ask
            person={person}
            icon={<Ban />}
            label="Deactivate"
            action="Deactivate account"
            title={`Deactivate the account of ${name}?`}
            call={deactivateAccount}
            isDestructive
          >
            Sessions, API tokens and open pages of {name} end at once, and so does the access to
            sites by SFTP and SSH. You can activate the account again.
          </Ask>
        ) : (
          <Ask
            person={person}
            icon={<Check />}
            label="Activate"
            action="Activate account"
            title={`Activate the account of ${name}?`}
            call={activateAccount}
          >
            {name} can log in again, with the same password and rights. Give the access to sites
            again on their pages.
          </Ask>
        )}
        <ButtonLink
          icon={<Activity />}
          aria-label={`Activity of ${name}`}
          to="/activity"
          search={{ user: account.email }}
        >
          Activity
        </ButtonLink>
        <Ask
          person={person}
          icon={<Trash2 />}
          label="Remove account"
          title={`Remove the account of ${name}?`}
          call={removeAccount}
          isDestructive
        >
          {account.email} cannot log in any more, and sessions, API tokens and the access to sites
          end. {name} stays in this list, with the keys, and can be invited again.
        </Ask>
      </div>
      <ChangeRights {...changing.dialog} person={person} account={account} />
    </div>
  )
}

function noRoleText({ parts, groups }: PersonAccount): string {
  if (groups.length > 0) return 'No own role: see the groups below.'
  return parts.length > 0
    ? 'Sees nothing but the parts below.'
    : 'May do nothing: give a role or a part.'
}

interface FactsProps {
  account: PersonAccount
  children: Record<string, ReactNode>
}

function AccountFacts({ account, children }: FactsProps) {
  const { email, role, parts, groups } = account
  return (
    <Facts
      of={{
        'E-mail address': <span className="break-all">{email}</span>,
        'Whole fleet': (
          <>
            {role === null ? noRoleText(account) : ROLE_TEXTS[role].about}
            {hasExtraSecrets(account) && ' May also see passwords and site contents.'}
          </>
        ),
        ...(parts.length > 0 && { 'Parts of the fleet': <PartGrants parts={parts} /> }),
        ...(groups.length > 0 && { 'By groups': <GroupList groups={groups} /> }),
        ...children,
      }}
    />
  )
}

interface AskProps extends PartProps {
  icon: ReactNode
  /** The label of the button on the card. */
  label: string
  title: string
  /** The label of the button in the dialog, if it differs. */
  action?: string
  isDestructive?: boolean
  call: (person_id: number) => Promise<unknown>
  /** What will happen. */
  children: ReactNode
}

/** A button that makes a call about the account, after a question. */
function Ask({ person, icon, label, title, action = label, call, ...props }: AskProps) {
  const { dialog, show } = useDialog()
  const client = useQueryClient()
  const confirm = async () => {
    await call(person.id)
    await client.invalidateQueries({ queryKey: peopleQuery.queryKey })
    await client.invalidateQueries({ queryKey: policyQuery.queryKey })
  }
  return (
    <>
      <Button needs="accounts" icon={icon} aria-label={`${label}: ${person.name}`} onClick={show}>
        {label}
      </Button>
      <Confirm {...dialog} {...props} title={title} action={action} onConfirm={confirm} />
    </>
  )
}

interface ChangeRightsProps extends DialogState, AccountProps {}

const ChangeRights = dialogOf(RightsForm, ({ person }: ChangeRightsProps) => ({
  title: `What ${person.name} may do`,
  about: 'A change takes effect at once, also in open pages.',
}))

function RightsForm({ person, account, onClose }: ChangeRightsProps) {
  const [draft, setDraft] = useState(() => rightsDraftOf(account))
  const { form, refusals } = useFormCall(() => changeAccount(person.id, rightsInput(draft)), {
    fields: rightsFieldNames(draft),
    changes: [peopleQuery.queryKey],
    onDone: onClose,
    onClose,
  })
  return (
    <DialogForm action="Save rights" {...form}>
      <RightsFields draft={draft} refusals={refusals} onChange={setDraft} />
    </DialogForm>
  )
}
