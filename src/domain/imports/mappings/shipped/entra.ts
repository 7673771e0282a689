import { type ShippedMapping, wordsFor } from './shipped-mapping.ts'

/** Microsoft Entra: *Download users* and *Download devices*; and the active users of the Microsoft 365 admin center, whose
 *  titles have blanks. */
export const entra: ShippedMapping = {
  name: 'entra',
  map: {
    // Users
    id: 'employees.external_id',
    displayName: 'name',
    mail: 'email',
    userPrincipalName: '',
    givenName: '',
    surname: '',
    jobTitle: 'title',
    department: 'department',
    accountEnabled: 'is_active',
    officeLocation: 'customer',
    telephoneNumber: 'phone',
    mobilePhone: '',
    alternateEmailAddress: '',
    employeeId: 'employee_no',
    employeeHireDate: 'start_date',
    streetAddress: '',
    city: '',
    state: '',
    country: '',
    companyName: '',
    // Active users of Microsoft 365
    'Object Id': 'employees.external_id',
    'Display name': 'name',
    'User principal name': 'email',
    'First name': '',
    'Last name': '',
    Title: 'title',
    Department: 'department',
    'Block credential': 'is_active',
    Office: 'customer',
    'Phone number': 'phone',
    'Mobile Phone': '',
    'Street address': '',
    City: '',
    State: '',
    'Country/Region': '',
    // Devices
    deviceId: 'hardware.external_id',
    model: 'model',
    userNames: 'employee_email',
    registeredOwners: '',
    objectId: '',
  },
  match: 'employees.email, hardware.external_id',
  value: { 'Block credential': wordsFor({ no: ['True'], yes: ['False'] }) },
}
