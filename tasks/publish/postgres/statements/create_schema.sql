create schema {schema};
