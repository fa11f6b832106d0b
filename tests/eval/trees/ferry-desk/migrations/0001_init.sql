create table sailing (number integer primary key, day text not null);
