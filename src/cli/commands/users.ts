// Commands for users of the panel.

import {
  createUserCommand,
  deleteUserCommand,
  listUsersCommand,
  resetUserCommand,
  setUserCommand,
} from '../actions/users.ts'
import type { Command } from '../usage.ts'
import { json, jsonArray } from './shared.ts'

const email = { email: 'email address of the user' }

export const userCommands: readonly Command[] = [
  {
    words: 'user create',
    help: 'Invites a user to the panel and prints a link for choosing a password.',
    arguments: email,
    options: {
      role: {
        value: 'administrator|manager|viewer',
        isRequired: true,
        help: 'administrator of the whole installation, or manager or viewer of tenants: a viewer cannot change anything or see API keys',
      },
      tenant: { value: '<slug>', isRepeatable: true, help: 'tenant of a manager or viewer; repeat it for several' },
      name: { value: 'TEXT', help: 'display name' },
      json,
    },
    examples: [
      'user create ada@example.com --role administrator',
      'user create grace@example.com --role manager --tenant acme',
      "user create alan@example.com --name 'Alan Turing' --role viewer --tenant acme --tenant beta",
    ],
    run: createUserCommand,
  },
  {
    words: 'user set',
    help: "Changes a user's name, and their roles in tenants.",
    arguments: email,
    options: {
      name: { value: 'TEXT', help: 'display name; an empty name removes it' },
      role: {
        value: 'administrator|manager|viewer',
        help: 'administrator of the whole installation; or the role in each --tenant, which replaces an earlier role',
      },
      tenant: { value: '<slug>', isRepeatable: true, help: 'tenant in which the user has the role' },
      'remove-tenant': { value: '<slug>', isRepeatable: true, help: 'tenant that the user loses access to' },
      json,
    },
    examples: [
      "user set alan@example.com --name 'Alan Turing'",
      'user set alan@example.com --role manager --tenant acme --remove-tenant beta',
      'user set grace@example.com --role administrator',
    ],
    run: setUserCommand,
  },
  {
    words: 'user list',
    help: 'Lists all users.',
    options: { json: jsonArray },
    examples: ['user list'],
    run: listUsersCommand,
  },
  {
    words: 'user reset',
    help: "Ends a user's sessions and prints a link for choosing a new password.",
    arguments: email,
    options: { 'second-factor': { help: 'also turn off two-factor authentication' }, json },
    examples: ['user reset ada@example.com', 'user reset ada@example.com --second-factor'],
    run: resetUserCommand,
  },
  {
    words: 'user delete',
    help: 'Deletes a user.',
    arguments: email,
    options: { json },
    examples: ['user delete ada@example.com'],
    run: deleteUserCommand,
  },
]
